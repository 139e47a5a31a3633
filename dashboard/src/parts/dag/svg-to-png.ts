const SHARP = 2;
const MAX_PIXELS = 12_000; // maximum side length that browsers render

/** Renders a self-contained SVG at twice its size. */
export async function svgToPng(svg: string): Promise<Blob> {
  const [, width = "1", height = "1"] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  const scale = Math.min(SHARP, MAX_PIXELS / Math.max(Number(width), Number(height)));
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
