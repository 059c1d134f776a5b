// A PDF as PDF.js reads it: opened by its address, page by page, drawn and with its text. Nothing of it is here before somebody reads.

import { beginWorker } from "../trust.js";

const BESIDE = new URL("../vendor/pdfjs/", import.meta.url).href;
let library = null;

/** Return PDF.js with its worker. */
async function pdfjs() {
  library ??= import("../vendor/pdfjs/pdf.mjs").then((found) => {
    found.GlobalWorkerOptions.workerPort = beginWorker();
    return found;
  });
  return library;
}

/** Open a PDF; `close` lets go of it. */
export async function openPdf(url) {
  const { getDocument, TextLayer } = await pdfjs();
  const task = getDocument({
    url,
    cMapUrl: `${BESIDE}cmaps/`,
    wasmUrl: BESIDE,
    useWasm: false,
    useWorkerFetch: true,
    useSystemFonts: true, // the fonts that PDF.js would bring are not all free
    isEvalSupported: false,
    enableXfa: false,
    verbosity: 0, // what is wrong with a file is told to the reader, not to the console
  });
  const pdf = await task.promise;
  return { pdf, TextLayer, close: () => task.destroy() };
}

/** Draw a page into a canvas and its text over it; returns what stops that, and the pieces of the text with their elements. */
export async function drawPage({ pdf, TextLayer }, number, { canvas, layer, scale }) {
  const page = await pdf.getPage(number);
  const viewport = page.getViewport({ scale });
  const dots = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.floor(viewport.width * dots);
  canvas.height = Math.floor(viewport.height * dots);
  const drawing = page.render({ canvas, viewport, transform: [dots, 0, 0, dots, 0, 0] });
  layer.style.setProperty("--total-scale-factor", String(scale));
  layer.replaceChildren();
  const text = new TextLayer({ textContentSource: page.streamTextContent(), container: layer, viewport });
  await Promise.all([drawing.promise, text.render()]);
  return text.textDivs;
}

/** Return the pieces of a page's text, as the layer over it has them. */
export async function piecesOn(pdf, number) {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  return items.filter((item) => item.str !== undefined);
}
