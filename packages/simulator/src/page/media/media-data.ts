import { Model } from '../model.ts';
import { switches } from '../switches.ts';

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

/** What the page has of a file: nothing yet, the bytes, or a permanent failure. */
type MediaStage = 'NEED_POKE' | 'FETCHING' | 'RESOLVED' | 'REUPLOADING' | 'ERROR_UNKNOWN';

export interface MediaFields {
  mimetype: string;
  filename: string | undefined;
  size: number;
  filehash: string;
  encFilehash: string;
  uploadhash: string;
  mediaKey: string | undefined;
  /** Unix seconds. */
  mediaKeyTimestamp: number;
  directPath: string | undefined;
  clientUrl: string;
  deprecatedMms3Url: string;
  isGif: boolean;
  isViewOnce: boolean;
  waveform: Uint8Array;
}

export const mediaFieldNames: readonly (keyof MediaFields)[] = [
  'mimetype',
  'filename',
  'size',
  'filehash',
  'encFilehash',
  'uploadhash',
  'mediaKey',
  'mediaKeyTimestamp',
  'directPath',
  'clientUrl',
  'deprecatedMms3Url',
  'isGif',
  'isViewOnce',
  'waveform',
];

interface MediaAttributes extends MediaFields {
  type: string;
  mediaStage: MediaStage;
  mediaBlob: OpaqueData;
  renderableUrl: string;
  /** The thumbnail; none is created here. */
  preview: string;
  caption: string;
}

/** An outgoing file, or the state of a received one. */
export class MediaData extends Model<MediaAttributes> {
  static override readonly props = [
    ...mediaFieldNames,
    'type',
    'mediaStage',
    'mediaBlob',
    'renderableUrl',
    'preview',
    'caption',
  ];

  constructor(values: Partial<MediaAttributes>) {
    super(values);
    // In these builds media have an own property for a session id that is not computed yet; `toJSON` leaves it out.
    if (switches.mediaOwnId) Object.assign(this, { __x_id: undefined });
  }
}
