import { inflateSync, constants } from 'node:zlib';

/** The most compressed headers of all streams of a connection, in bytes: each reading starts with the first. */
const HEADERS_LIMIT = 1024 * 1024;

const NAMES =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization ' +
  'cache-control connection content-base content-encoding content-language content-length content-location content-md5 ' +
  'content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range ' +
  'if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer ' +
  'retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status ' +
  '200_OK version HTTP/1.1 url public set-cookie keep-alive origin';
const REST =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505' +
  '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found' +
  '500 Internal Server Error501 Not Implemented503 Service Unavailable' +
  'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT' +
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,' +
  'publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

/** The text with which the compression of headers begins (SPDY/3, 2.6.10.1). */
export const SPDY_DICTIONARY = Buffer.concat([
  ...NAMES.split(' ').map((name) => lengthPrefixed(name.replace('_', ' '))),
  Buffer.from(REST),
]);
/** The beginning of a compressed text: the method, and the checksum of the dictionary. */
const COMPRESSED_START = Buffer.from('7820e3c6a7c2', 'hex');

/** An empty part after which readers return what they have, instead of waiting for more. */
const FLUSH = [0, 0, 0, 0xff, 0xff];

/** The reader of the headers of a connection's streams, which are one compressed text. */
export class SpdyHeaderReader {
  private compressed: Buffer = Buffer.alloc(0);
  private known = 0;

  /** @throws Error if the headers are none, or too many */
  read(block: Uint8Array): Map<string, string> {
    this.compressed = Buffer.concat([this.compressed, block]);
    if (this.compressed.length > HEADERS_LIMIT) throw new Error('There are too many headers');
    const all = inflateSync(this.compressed, {
      dictionary: SPDY_DICTIONARY,
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: 8 * HEADERS_LIMIT,
    });
    const text = all.subarray(this.known);
    this.known = all.length;
    const headers = new Map<string, string>();
    let place = 4;
    const next = (): string => {
      const length = text.readUInt32BE(place);
      place += 4 + length;
      return text.toString('utf8', place - length, place);
    };
    for (let rest = text.readUInt32BE(0); rest > 0; rest--) headers.set(next().toLowerCase(), next());
    return headers;
  }
}

/** The writer of the headers of answers: there are none, in a form that needs no compression. */
export class SpdyHeaderWriter {
  private isFirst = true;

  none(): Buffer {
    const content = Buffer.alloc(4);
    const stored = Buffer.from([0, content.length, 0, ~content.length & 0xff, 0xff, ...content, ...FLUSH]);
    if (!this.isFirst) return stored;
    this.isFirst = false;
    return Buffer.concat([COMPRESSED_START, stored]);
  }
}

function lengthPrefixed(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
}
