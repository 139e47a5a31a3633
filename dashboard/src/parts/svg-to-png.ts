const SHARP = 2;
const MOST_PIXELS = 12_000; // on a side: what browsers still draw

/** A picture of an SVG that needs nothing else, twice as sharp as it is large. */
export async function svgToPng(svg: string): Promise<Blob> {
  const [, width = "1", height = "1"] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  const scale = Math.min(SHARP, MOST_PIXELS / Math.max(Number(width), Number(height)));
  const sized = svg.replace("<svg ", `<svg width="${width}" height="${height}" `);
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sized)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(Number(width) * scale);
  canvas.height = Math.ceil(Number(height) * scale);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The image could not be created.")))),
  );
}
