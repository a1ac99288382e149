import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServerIdentity } from './certificate.authority.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('createServerIdentity', () => {
  const hosts = ['localhost', '127.0.0.1', '::1', 'fe80::1%eth0', '::ffff:10.0.0.1'];
  const identity = createServerIdentity(NOW, hosts);
  const [authority, server] = [new X509Certificate(identity.caCertificate), new X509Certificate(identity.certificate)];

  it('should sign the certificate of the server by an authority that signs itself', () => {
    expect([authority.ca, server.ca]).toEqual([true, false]);
    expect([authority.verify(authority.publicKey), server.verify(authority.publicKey)]).toEqual([true, true]);
    expect([authority.checkIssued(authority), server.checkIssued(authority)]).toEqual([true, true]);
    expect([authority.subject, server.subject, server.issuer]).toEqual([
      'CN=embedded-kube-ca',
      'CN=embedded-kube',
      'CN=embedded-kube-ca',
    ]);
  });

  it('should give the keys of both', () => {
    expect(server.checkPrivateKey(createPrivateKey(identity.privateKey))).toBe(true);
    expect(authority.checkPrivateKey(createPrivateKey(identity.caPrivateKey))).toBe(true);
  });

  it('should name hosts and addresses, without zones', () => {
    expect(server.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:FE80:0:0:0:0:0:0:1, IP Address:10.0.0.1',
    );
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  it('should be valid for ten years from an hour ago', () => {
    expect(Date.parse(server.validFrom)).toBe(NOW - 3_600_000);
    expect(Date.parse(server.validTo)).toBe(NOW + 10 * 365 * 86_400_000);
    const late = new X509Certificate(createServerIdentity(Date.parse('2045-06-01T00:00:00Z'), hosts).certificate);
    expect(new Date(late.validTo).getUTCFullYear()).toBe(2055);
  });
});
