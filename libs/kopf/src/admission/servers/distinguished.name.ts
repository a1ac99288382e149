import type { Certificate } from 'node:tls';

/** Holds the attributes of a certificate's subject or issuer: `{ CN: 'admin', O: 'system:masters' }`. */
export type DistinguishedName = Readonly<Record<string, string | readonly string[]>>;

/** Reads a name of a certificate. Node's names have no prototype, which is of no use to those who compare and print them. */
export function readName(name: Certificate): DistinguishedName {
  return { ...name } as DistinguishedName;
}
