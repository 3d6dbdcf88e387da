// @ts-check
/**
 * Bring the library into a page: it stands packed in an output, or in a widget's module.
 *
 * @param {string} packed
 */
function unpackLibrary(packed) {
  const bytes = Uint8Array.from(atob(packed), (unit) => unit.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(unpacked).text().then((source) => {
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    return import(address).finally(() => URL.revokeObjectURL(address));
  });
}
