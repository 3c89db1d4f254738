/** Bytes that the page works with, without holding them as text. */
export class OpaqueData {
  readonly #blob: Blob;
  readonly #type: string;
  #url: string | undefined;

  private constructor(blob: Blob, type: string) {
    this.#blob = blob;
    this.#type = type;
  }

  /** `type` wins over the blob's own, which a browser may have emptied for its odd characters. */
  static async createFromData(blob: Blob, type?: string): Promise<OpaqueData> {
    return new OpaqueData(blob, type || blob.type || 'application/octet-stream');
  }

  get filename(): string | undefined {
    return this.#blob instanceof File ? this.#blob.name : undefined;
  }

  type(): string {
    return this.#type;
  }

  size(): number {
    return this.#blob.size;
  }

  forceToBlob(): Blob {
    return this.#blob;
  }

  formData(): Blob {
    return this.#blob;
  }

  url(): string {
    this.#url ??= URL.createObjectURL(this.#blob);
    return this.#url;
  }

  /** Revokes the URL, which would keep the bytes in memory. */
  autorelease(): void {
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = undefined;
  }
}
