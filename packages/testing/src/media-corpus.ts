/** A small file, and the type that it has as a document. */
interface CorpusFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly mimeType: string;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN = 'application/vnd.oasis.opendocument';
const XML = '<?xml version="1.0"?>\n<x></x>';

/** The beginning of a file, in hex, and nothing after it. */
function binary(head: string, size = 600): Buffer {
  return Buffer.concat([Buffer.from(head.replaceAll(' ', ''), 'hex'), Buffer.alloc(size)]);
}

const ascii = (text: string) => Buffer.from(text, 'latin1').toString('hex');
const ole = binary('d0cf11e0a1b11ae1');
const isoMedia = (brand: string) => binary(`00000018${ascii(`ftyp${brand}`)}00000000${ascii(`${brand}isom`)}`);
const ogg = (codec: string) => binary(`${ascii('OggS\0\x02')}${'00'.repeat(20)}01${ascii(codec)}`);
const riff = (form: string) => binary(`${ascii('RIFF')}64010000${ascii(form)}`);
const matroska = (kind: string) => binary(`1a45dfa3934282 ${(0x80 + kind.length).toString(16)}${ascii(kind)}`);

/** The header of the format of Windows Media, with one stream, of audio. */
const asf = binary(
  `3026b2758e66cf11a6d900aa0062ce6c${'00'.repeat(14)} 9107dcb7b7a9cf118ee600c00c205365 6400000000000000 409e69f84d5bcf11a8fd00805f5c442b`,
);

/** An archive with one file, stored without compression. */
function archive(name: string, content = 'x'): Buffer {
  const header = Buffer.alloc(30);
  header.write('PK\x03\x04\x14', 'latin1');
  header.writeUInt32LE(content.length, 18);
  header.writeUInt32LE(content.length, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(`${name}${content}PK\x05\x06${'\0'.repeat(18)}`, 'latin1')]);
}

const office = (part: string) => archive('[Content_Types].xml', `<Override ContentType="${OFFICE}.${part}.main+xml"/>`);

/** Lossless, with these sides in its header alone. */
export function webp(width: number, height: number, size = 600): Buffer {
  const bits = Buffer.alloc(4);
  bits.writeUInt32LE((width - 1) | ((height - 1) << 14));
  return binary(`${ascii('RIFF')}64010000${ascii('WEBPVP8L')}640000002f${bits.toString('hex')}`, size);
}

/** Extended, with the mark of an animation. */
export function animatedWebp(width: number, height: number, size = 600): Buffer {
  const sides = Buffer.alloc(6);
  sides.writeUIntLE(width - 1, 0, 3);
  sides.writeUIntLE(height - 1, 3, 3);
  return binary(`${ascii('RIFF')}64010000${ascii('WEBPVP8X')}0a00000002000000${sides.toString('hex')}`, size);
}

/** A GIF of one pixel, with as many frames. */
export function gif(frames: number): Buffer {
  const frame = '21f90400000000002c00000000010001000002024401 00';
  return binary(`${ascii('GIF89a')}0100010080000000000 0ffffff${frame.repeat(frames)}3b`, 0);
}

/** A PNG of one pixel, with the mark of an animation. */
export function apng(): Buffer {
  return binary(
    '89504e470d0a1a0a 0000000d49484452 00000001000000010806000000 1f15c489 00000008 6163544c 0000000200000000 f38d9370',
  );
}

const text = (written: string) => Buffer.from(written);

/** By name, content and type. What a name says counts where the content says only how the file is packed, or nothing. */
export const mediaCorpus: readonly CorpusFile[] = (
  [
    ['prices.xls', ole, 'application/vnd.ms-excel'],
    ['PRICES.XLS', ole, 'application/vnd.ms-excel'],
    ['letter.doc', ole, 'application/msword'],
    ['talk.ppt', ole, 'application/vnd.ms-powerpoint'],
    ['mail.msg', ole, 'application/vnd.ms-outlook'],
    ['old', ole, 'application/x-cfb'],
    ['letter.docx', office('wordprocessingml.document'), `${OFFICE}.wordprocessingml.document`],
    ['prices.xlsx', office('spreadsheetml.sheet'), `${OFFICE}.spreadsheetml.sheet`],
    ['talk.pptx', office('presentationml.presentation'), `${OFFICE}.presentationml.presentation`],
    ['wrong.zip', office('wordprocessingml.document'), `${OFFICE}.wordprocessingml.document`],
    ['letter.odt', archive('mimetype', `${OPEN}.text`), `${OPEN}.text`],
    ['book.epub', archive('mimetype', 'application/epub+zip'), 'application/epub+zip'],
    ['program.jar', archive('META-INF/MANIFEST.MF'), 'application/java-archive'],
    ['photos.zip', archive('photo.jpg'), 'application/zip'],
    ['places.kmz', archive('doc.kml'), 'application/vnd.google-earth.kmz'],
    ['letter.pages', archive('Index.zip'), 'application/vnd.apple.pages'],
    ['photos.gz', binary('1f8b0800'), 'application/gzip'],
    ['photos.7z', binary('377abcaf271c'), 'application/x-7z-compressed'],
    ['bill.pdf', text('%PDF-1.4\n'), 'application/pdf'],
    ['bill', text('%PDF-1.4\n'), 'application/pdf'],
    ['letter.rtf', text('{\\rtf1 x}'), 'application/rtf'],
    ['prices.csv', text('a,b\n1,2\n'), 'text/csv'],
    ['latin.csv', Buffer.from('größe,1\n', 'latin1'), 'text/csv'],
    ['windows.csv', Buffer.from('\ufeffa,b\n', 'utf16le'), 'text/csv'],
    // Signatures of a bitmap, a program, audio and PostScript are as short.
    ['cars.csv', text('BMW,1\n'), 'text/csv'],
    ['people.csv', text('MZ,1\n'), 'text/csv'],
    ['forms.csv', text('FORM,1\n'), 'text/csv'],
    ['list.tsv', text('a\tb\n'), 'text/tab-separated-values'],
    ['notes.txt', text('hello'), 'text/plain'],
    ['README', text('hello'), 'text/plain'],
    ['server.log', text('started\n'), 'text/plain'],
    ['notes.md', text('# Hello'), 'text/markdown'],
    ['data.json', text('{}'), 'application/json'],
    ['data.yaml', text('a: 1'), 'text/yaml'],
    ['page.html', text('<!DOCTYPE html><p>'), 'text/html'],
    ['page.css', text('a { }'), 'text/css'],
    ['page.js', text('let a;'), 'text/javascript'],
    ['page.ts', text('let a: string;'), 'text/plain'],
    ['logo.svg', text('<!-- a --><svg xmlns="http://www.w3.org/2000/svg"></svg>'), 'image/svg+xml'],
    ['data.xml', text(XML), 'application/xml'],
    ['places.kml', text(XML), 'application/vnd.google-earth.kml+xml'],
    ['track.gpx', text(XML), 'application/gpx+xml'],
    ['day.ics', text('BEGIN:VCALENDAR\n'), 'text/calendar'],
    ['ada.vcf', text('BEGIN:VCARD\n'), 'text/vcard'],
    ['photo.jpg', binary('ffd8ffe000104a464946'), 'image/jpeg'],
    ['photo.png', binary('ffd8ffe000104a464946'), 'image/jpeg'],
    ['photo.heic', isoMedia('heic'), 'image/heic'],
    ['photo.avif', isoMedia('avif'), 'image/avif'],
    ['photo.tiff', binary('49492a0008000000'), 'image/tiff'],
    ['photo.jp2', binary(`0000000c6a5020200d0a870a00000014${ascii('ftypjp2 ')}`), 'image/jp2'],
    ['photo.jxl', binary('ff0a'), 'image/jxl'],
    ['photo.bmp', binary('424d'), 'image/bmp'],
    ['photo.gif', gif(1), 'image/gif'],
    ['photo.webp', webp(1, 1), 'image/webp'],
    ['song.mp3', binary('49443304000000000000 fffb9064'), 'audio/mpeg'],
    ['song.m4a', isoMedia('M4A '), 'audio/mp4'],
    ['song.wav', riff('WAVEfmt '), 'audio/wav'],
    ['song.flac', binary(ascii('fLaC')), 'audio/flac'],
    ['song.aac', binary('fff15080'), 'audio/aac'],
    ['song.opus', ogg('\x13OpusHead'), 'audio/ogg; codecs=opus'],
    ['song.ogg', ogg('\x1e\x01vorbis'), 'audio/ogg'],
    ['song.aiff', binary(`${ascii('FORM')}00000000${ascii('AIFF')}`), 'audio/aiff'],
    ['song.wma', asf, 'audio/x-ms-wma'],
    ['clip.mp4', isoMedia('isom'), 'video/mp4'],
    ['clip.m4v', isoMedia('M4V '), 'video/mp4'],
    ['clip.mov', isoMedia('qt  '), 'video/quicktime'],
    ['clip.3gp', isoMedia('3gp4'), 'video/3gpp'],
    ['clip.webm', matroska('webm'), 'video/webm'],
    ['clip.mkv', matroska('matroska'), 'video/matroska'],
    ['clip.avi', riff('AVI '), 'video/vnd.avi'],
    ['clip.flv', binary('464c5601'), 'video/x-flv'],
    ['program.exe', binary('4d5a9000'), 'application/x-msdownload'],
    ['data.bin', binary('010203', 0), 'application/octet-stream'],
    ['data', binary('010203', 0), 'application/octet-stream'],
  ] as const
).map(([name, bytes, mimeType]) => ({ name, bytes, mimeType }));
