// Uploads one object in parts while it is written. The first part is kept until the end, because its first
// bytes may be known only then. Called by s3-storage.ts. It holds four parts in memory at most: the first
// one, the one that is being filled, and those in flight. It must ask for no checksum if the settings of the
// AWS SDK say so: some storage refuses it.

import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";

/** S3 takes 10,000 parts: files up to 78 GiB. */
const PART_BYTES = 8 * 1024 * 1024;
const CONCURRENT_PARTS = 2;

/** So that a storage finds a part that was changed on its way. */
const CHECKSUM = "CRC32";

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

export class PartUpload {
  readonly #client: S3Client;
  readonly #object: ObjectName;
  readonly #stopping = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #sent: CompletedPart[] = [];
  #first: Buffer | undefined;
  #filling: Buffer = Buffer.alloc(0);
  #filled = 0;
  #parts = 0;
  #uploadId: string | undefined;
  #failure: { readonly error: unknown } | undefined;
  #finishing: Promise<void> | undefined;

  constructor(client: S3Client, object: ObjectName) {
    this.#client = client;
    this.#object = object;
  }

  /** The failure of an earlier part rejects this, or `finish`. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.length;) {
      this.#throwFailure();
      if (this.#filling.length === 0) this.#filling = Buffer.allocUnsafe(PART_BYTES);
      const piece = chunk.subarray(from, from + PART_BYTES - this.#filled);
      this.#filling.set(piece, this.#filled);
      this.#filled += piece.length;
      from += piece.length;
      if (this.#filled === PART_BYTES) await this.#endPart();
    }
  }

  finish(head: Uint8Array | undefined): Promise<void> {
    this.#finishing = this.#finish(head);
    return this.#finishing;
  }

  /** Resolves to whether the object is complete, once nothing is in flight. */
  async stop(): Promise<boolean> {
    this.#stopping.abort(new Error("the export was aborted"));
    await Promise.all(this.#inFlight);
    return (this.#finishing ?? Promise.reject(new Error("is not complete"))).then(
      () => true,
      () => false,
    );
  }

  async #finish(head: Uint8Array | undefined): Promise<void> {
    const last = this.#filling.subarray(0, this.#filled);
    const first = this.#first ?? last;
    if (head !== undefined) first.set(head);
    if (this.#first === undefined) {
      const put = new PutObjectCommand({ ...this.#object, Body: first, IfNoneMatch: "*" });
      await this.#client.send(put, this.#options());
      return;
    }
    await this.#send(1, first);
    if (last.length > 0) await this.#send(this.#parts + 1, last);
    await Promise.all(this.#inFlight);
    this.#throwFailure();
    const Parts = this.#sent.toSorted((one, other) => numberOf(one) - numberOf(other));
    const complete = new CompleteMultipartUploadCommand({
      ...this.#object,
      UploadId: await this.#begin(),
      MultipartUpload: { Parts },
      IfNoneMatch: "*",
    });
    await this.#client.send(complete, this.#options());
  }

  async #endPart(): Promise<void> {
    this.#parts += 1;
    const part = this.#filling;
    this.#filling = Buffer.alloc(0);
    this.#filled = 0;
    if (this.#parts > 1) return this.#send(this.#parts, part);
    this.#first = part;
    // A replica that takes over the export aborts the upload: then no part can be sent, nor the object be
    // made.
    await this.#begin();
  }

  /** Resolves when the part is in flight, and fewer than {@link CONCURRENT_PARTS} others are. */
  async #send(number: number, body: Buffer): Promise<void> {
    while (this.#inFlight.size >= CONCURRENT_PARTS) await Promise.race(this.#inFlight);
    this.#throwFailure();
    const UploadId = await this.#begin();
    const sending = this.#upload(UploadId, number, body).catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#inFlight.add(sending);
    void sending.then(() => this.#inFlight.delete(sending));
  }

  async #upload(UploadId: string, PartNumber: number, Body: Buffer): Promise<void> {
    const asked = { ...this.#object, ...(await this.#checksum()) };
    const part = new UploadPartCommand({ ...asked, UploadId, PartNumber, Body });
    const { ChecksumCRC32, ETag } = await this.#client.send(part, this.#options());
    this.#sent.push({ PartNumber, ETag, ...(ChecksumCRC32 !== undefined && { ChecksumCRC32 }) });
  }

  async #begin(): Promise<string> {
    if (this.#uploadId !== undefined) return this.#uploadId;
    const asked = { ...this.#object, ...(await this.#checksum()) };
    const begin = new CreateMultipartUploadCommand(asked);
    const { UploadId } = await this.#client.send(begin, this.#options());
    if (UploadId === undefined) throw new Error("the storage began an upload without an id");
    this.#uploadId = UploadId;
    return UploadId;
  }

  /** All requests of an upload agree. AWS_REQUEST_CHECKSUM_CALCULATION is read by the SDK. */
  async #checksum(): Promise<{ readonly ChecksumAlgorithm?: typeof CHECKSUM }> {
    const calculation = await this.#client.config.requestChecksumCalculation();
    return calculation === "WHEN_REQUIRED" ? {} : { ChecksumAlgorithm: CHECKSUM };
  }

  #options() {
    return { abortSignal: this.#stopping.signal };
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

function numberOf({ PartNumber = 0 }: CompletedPart): number {
  return PartNumber;
}
