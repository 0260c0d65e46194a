// Takes the file of a response piece by piece, so that its progress can be shown, and hands it to the browser
// to save. Used by the exports screen.

/** Bytes kept apart until they are added to the file, which the browser may keep on disk. */
const GATHERED_BYTES = 4 * 1024 * 1024;

export async function takeFile(
  response: Response,
  onProgress: (done: number) => void,
): Promise<Blob> {
  let file = new Blob([]);
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let gathered = 0;
  const gather = () => {
    file = new Blob([file, ...pieces]);
    pieces = [];
    gathered = 0;
    onProgress(file.size);
  };
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    pieces.push(read.value);
    gathered += read.value.length;
    if (gathered >= GATHERED_BYTES) gather();
  }
  gather();
  return file;
}

/** Milliseconds that the browser has to begin saving. */
const SAVING_MS = 60_000;

export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVING_MS);
}
