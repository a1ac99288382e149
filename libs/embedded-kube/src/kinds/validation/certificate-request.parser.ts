import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { assertComplete, readElements, readSequence } from '../../common/der.js';

const LABEL = 'CERTIFICATE REQUEST';
/** The digests of algorithms by which requests are signed, by their identifiers in hexadecimal; none for Ed25519. */
const DIGESTS: Readonly<Record<string, string | undefined>> = {
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
};

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
  const [request] = readElements(der);
  const [information, algorithm, signature] = readSequence(request);
  const [, , key] = readSequence(information);
  const [identifier] = readSequence(algorithm);
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
