import { createPublicKey, type KeyObject, verify } from 'node:crypto';

const LABEL = 'CERTIFICATE REQUEST';
const SEQUENCE = 0x30;
/** The digests of algorithms by which requests are signed, by their identifiers in hexadecimal; none for Ed25519. */
const DIGESTS: Readonly<Record<string, string | undefined>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
};

/** An element of DER: its content, and the bytes of the whole element. */
interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly bytes: Buffer;
}

/** Checks a request for a certificate (PKCS #10, in PEM) and its signature. @returns what is wrong, in the real server's words */
export function describeRequestError(pem: string): string | undefined {
  const [, text] = new RegExp(`-----BEGIN ${LABEL}-----\\s([A-Za-z0-9+/=\\s]*)-----END ${LABEL}-----`).exec(pem) ?? [];
  if (text === undefined) return 'PEM block type must be CERTIFICATE REQUEST';
  try {
    return checkRequest(Buffer.from(text, 'base64'));
  } catch (error) {
    return (error as Error).message;
  }
}

function checkRequest(der: Buffer): string | undefined {
  assertComplete(der);
  const [request] = elementsOf(der);
  const [information, algorithm, signature] = elementsOf(sequence(request));
  const [, , key] = elementsOf(sequence(information));
  const [identifier] = elementsOf(sequence(algorithm));
  if (!information || !key || !identifier || !signature) return 'asn1: syntax error: sequence truncated';
  const digest = DIGESTS[identifier.content.toString('hex')];
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey({ key: key.bytes, format: 'der', type: 'spki' });
  } catch {
    return 'x509: unsupported elliptic curve';
  }
  // The first byte of a bit string counts its unused bits.
  const isValid = verify(digest, information.bytes, publicKey, signature.content.subarray(1));
  if (isValid) return undefined;
  return publicKey.asymmetricKeyType === 'rsa' ? 'crypto/rsa: verification error' : 'x509: ECDSA verification failure';
}

function sequence(element: Element | undefined): Buffer {
  if (element?.tag === SEQUENCE) return element.content;
  throw new Error("asn1: structure error: tags don't match");
}

/** Looks into everything that holds other elements. */
function assertComplete(der: Buffer): void {
  for (const { tag, content } of elementsOf(der)) if ((tag & 0x20) !== 0) assertComplete(content);
}

function elementsOf(der: Buffer): Element[] {
  const elements: Element[] = [];
  for (let start = 0; start < der.length;) {
    const { size, offset } = lengthAt(der, start + 1);
    const end = offset + size;
    if (end > der.length) throw new Error('asn1: syntax error: data truncated');
    elements.push({ tag: der[start]!, content: der.subarray(offset, end), bytes: der.subarray(start, end) });
    start = end;
  }
  return elements;
}

/** Reads a length; a length of more than 127 bytes takes several bytes. */
function lengthAt(der: Buffer, at: number): { readonly size: number; readonly offset: number } {
  const first = der[at];
  if (first === undefined) throw new Error('asn1: syntax error: truncated tag or length');
  if (first < 0x80) return { size: first, offset: at + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + count >= der.length) {
    throw new Error('asn1: syntax error: truncated tag or length');
  }
  return { size: der.readUIntBE(at + 1, count), offset: at + 1 + count };
}
