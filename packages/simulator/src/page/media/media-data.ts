import { Model } from '../model.ts';
import { switches } from '../switches.ts';
import type { OpaqueData } from './opaque-data.ts';

/** What the page has of a file: nothing yet, the bytes, or a permanent failure. */
type MediaStage = 'NEED_POKE' | 'FETCHING' | 'RESOLVED' | 'REUPLOADING' | 'ERROR_UNKNOWN';

/** The attributes of a message's file. */
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

/** The names of those fields. */
export const mediaFieldNames: readonly (keyof MediaFields)[] = [
  ...(['mimetype', 'filename', 'size', 'filehash', 'encFilehash', 'uploadhash', 'mediaKey'] as const),
  ...(['mediaKeyTimestamp', 'directPath', 'clientUrl', 'deprecatedMms3Url', 'isGif', 'isViewOnce'] as const),
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
