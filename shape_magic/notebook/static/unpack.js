// @ts-check
// Brings the library into the page: it stands packed in the attribute of this script's parent.
{
  const packed = document.currentScript?.parentElement?.dataset.shapeMagicLibrary ?? "";
  const bytes = Uint8Array.from(atob(packed), (unit) => unit.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  new Response(unpacked).text().then((source) => {
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    return import(address).finally(() => URL.revokeObjectURL(address));
  });
}
