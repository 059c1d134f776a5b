// The one script that is begun by its address: PDF.js's worker. The policy of the page lets nobody make another such address: this policy
// is made before anything else runs, its name can be used once, and it makes no HTML.

const WORKER = new URL("./vendor/pdfjs/pdf.worker.mjs", import.meta.url).href;
const policy = globalThis.trustedTypes?.createPolicy("scholarmind-worker", { createScriptURL: () => WORKER });

/** Begin the worker. */
export const beginWorker = () => new Worker(policy ? policy.createScriptURL("") : WORKER, { type: "module" });
