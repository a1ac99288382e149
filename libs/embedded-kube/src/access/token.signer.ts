import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
  createPrivateKey,
} from 'node:crypto';
import { isMapping } from '../common/json.values.js';

/** A key by which the server's tokens can be checked, as OIDC clients read it. */
export type PublicKeyDocument = Readonly<Record<string, unknown>>;

const ENCODING = 'ieee-p1363';

/**
 * The signing and checking of JSON web tokens (ES256). The key is made with the first token, as most servers issue none.
 */
export class TokenSigner {
  private keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject; readonly id: string } | undefined;

  /** @param privateKey returns the PEM of a kept key, or keeps and returns the one that its argument generates */
  constructor(private readonly privateKey: (generate: () => string) => string = (generate) => generate()) {}

  sign(claims: object): string {
    const { privateKey, id } = this.load();
    const content = `${encode({ alg: 'ES256', kid: id })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: ENCODING });
    return `${content}.${signature.toString('base64url')}`;
  }

  /** @returns the claims, `undefined` if the signature is not this key's */
  verify(token: string): Readonly<Record<string, unknown>> | undefined {
    const { publicKey } = this.load();
    const end = token.lastIndexOf('.');
    const signature = Buffer.from(token.slice(end + 1), 'base64url');
    const content = Buffer.from(token.slice(0, end));
    if (!verify('sha256', content, { key: publicKey, dsaEncoding: ENCODING }, signature)) return undefined;
    return claimsOf(token);
  }

  get publicKeys(): readonly PublicKeyDocument[] {
    const { publicKey, id } = this.load();
    const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
    return [{ use: 'sig', kty, kid: id, crv, alg: 'ES256', x, y }];
  }

  private load(): NonNullable<TokenSigner['keys']> {
    if (this.keys) return this.keys;
    const privateKey = createPrivateKey(this.privateKey(generateKey));
    const publicKey = createPublicKey(privateKey);
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const id = createHash('sha256').update(der).digest('base64url');
    return (this.keys = { privateKey, publicKey, id });
  }
}

/** Reads the claims of a token without checking them; `undefined` if it is no JSON web token. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString('utf8'));
    return isMapping(claims) ? claims : undefined;
  } catch {
    return undefined;
  }
}

function generateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
