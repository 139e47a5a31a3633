// Renders the chart as Helm does, with the same libraries: text/template, sprig, and YAML through JSON. Reads requests from
// the standard input and writes for each the texts by template. For machines without Helm; values.schema.json and the order
// of resources are not its concern.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"github.com/ghodss/yaml"
)

type object = map[string]interface{}

type request struct {
	Release  string
	Revision int
	Values   object
}

type metadata struct {
	Name, Version, AppVersion string
}

// Paths of the chart, whose symbolic links Helm follows.
type files map[string]string

func (f files) Get(path string) string { return f[path] }

func (f files) Glob(pattern string) files {
	found := files{}
	for path, text := range f {
		if ok, _ := filepath.Match(pattern, path); ok {
			found[path] = text
		}
	}
	return found
}

func main() {
	chart := os.Args[1]
	var requests []request
	check(json.NewDecoder(os.Stdin).Decode(&requests))
	templates, others := readChart(chart)
	rendered := []map[string]string{}
	for _, each := range requests {
		rendered = append(rendered, render(templates, others, each))
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func readChart(chart string) (templates, others files) {
	templates, others = files{}, files{}
	for _, pattern := range []string{"*", "templates/*", "templates/*/*", "files/*", "files/*/*"} {
		paths, err := filepath.Glob(filepath.Join(chart, pattern))
		check(err)
		for _, path := range paths {
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				check(err)
				continue
			}
			text, err := os.ReadFile(path)
			check(err)
			name, _ := filepath.Rel(chart, path)
			if strings.HasPrefix(name, "templates/") {
				templates[name] = string(text)
			} else {
				others[name] = string(text)
			}
		}
	}
	return templates, others
}

func render(templates, others files, each request) map[string]string {
	var chart metadata
	values := object{}
	check(yaml.Unmarshal([]byte(others["Chart.yaml"]), &chart))
	check(yaml.Unmarshal([]byte(others["values.yaml"]), &values))
	merge(values, each.Values)
	data := object{
		"Values":  values,
		"Chart":   chart,
		"Files":   others,
		"Release": object{"Name": each.Release, "Namespace": "jobs", "Service": "Helm", "Revision": each.Revision},
	}
	all := parse(templates)
	rendered := map[string]string{}
	for name := range templates {
		if strings.HasPrefix(filepath.Base(name), "_") {
			continue
		}
		var text bytes.Buffer
		check(all.ExecuteTemplate(&text, name, data))
		rendered[name] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return rendered
}

// Helm merges objects, replaces everything else, and removes what is null.
func merge(values, own object) {
	for key, value := range own {
		below, isObject := value.(object)
		existing, wasObject := values[key].(object)
		if value == nil {
			delete(values, key)
		} else if isObject && wasObject {
			merge(existing, below)
		} else {
			values[key] = value
		}
	}
}

func parse(templates files) *template.Template {
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	all.Funcs(functions)
	for name, text := range templates {
		_, err := all.New(name).Parse(text)
		check(err)
	}
	return all
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
