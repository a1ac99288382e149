import { createHash, X509Certificate } from 'node:crypto';
import { fromBER, type OctetString } from 'asn1js';
import { Certificate } from 'pkijs';
import { SeededRandom } from 'kube-common';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import { readNames, readValidity } from './certificate.checks.js';
import { generateCertificate, type GeneratedCertificate } from './certificate.factory.js';

const SUBJECT_KEY = '2.5.29.14';
const AUTHORITY_KEY = '2.5.29.35';

function generate(names: readonly string[], lifetime: number, clock = new VirtualClock()) {
  return generateCertificate({ names, lifetime }, { clock, random: new SeededRandom(1) });
}

function extensionOf(pem: string, id: string): ArrayBuffer {
  const { extensions = [] } = Certificate.fromBER(new X509Certificate(pem).raw);
  return extensions.find(({ extnID }) => extnID === id)!.extnValue.valueBlock.valueHexView.slice().buffer;
}

describe('generateCertificate', () => {
  let made: GeneratedCertificate;
  beforeAll(async () => {
    made = await generate(['hooks.ns.svc', '10.1.2.3'], 100);
  });

  it('should make an authority and a certificate of a server by it', () => {
    const [authority, server] = [made.caBundle, made.certificate].map((pem) => new X509Certificate(pem));
    expect([authority.ca, server.ca]).toEqual([true, false]);
    expect(authority.subject).toBe(`CN=kopf-webhooks-ca-${authority.serialNumber.toLowerCase()}`);
    expect(server.subject).toBe('CN=hooks.ns.svc');
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(server.checkIssued(authority)).toBe(true);
    expect(server.verify(authority.publicKey)).toBe(true);
  });

  it('should name the key of the authority in both certificates', () => {
    const subject = fromBER(extensionOf(made.caBundle, SUBJECT_KEY)).result as OctetString;
    const identifier = Buffer.from(subject.getValue());
    expect(identifier).toHaveLength(20);
    // The key is the last thing in its information, as a point of 65 bytes.
    const { publicKey } = new X509Certificate(made.caBundle);
    const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
    expect(identifier.toString('hex')).toBe(createHash('sha1').update(point).digest('hex'));
    expect(Buffer.from(extensionOf(made.certificate, AUTHORITY_KEY)).subarray(-20)).toEqual(identifier);
  });

  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::', '0:0:0:0:0:0:0:0'],
    ['::1', '0:0:0:0:0:0:0:1'],
    ['fe80::', 'FE80:0:0:0:0:0:0:0'],
    ['2001:DB8::a:0:0:1', '2001:DB8:0:0:A:0:0:1'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['::ffff:10.1.2.3', '0:0:0:0:0:FFFF:A01:203'],
    ['64:ff9b::192.0.2.33', '64:FF9B:0:0:0:0:C000:221'],
    ['fe80::1%eth0', 'FE80:0:0:0:0:0:0:1'],
  ])('should be for the address %s', async (address, written) => {
    const { certificate } = await generate([address], 100);
    expect(readNames(certificate)).toEqual([written]);
    expect(new X509Certificate(certificate).checkIP(address.split('%')[0])).toBeDefined();
  });

  it('should have whole seconds for times in years of which two digits are not enough', async () => {
    const clock = new VirtualClock(Date.parse('2049-12-31T23:59:59.999Z'));
    const { certificate } = await generate(['a'], 1, clock);
    const { from, until } = readValidity(certificate);
    expect([from, until].map((time) => new Date(time).toISOString())).toEqual([
      '2049-12-30T23:59:59.000Z',
      '2050-01-01T00:00:00.000Z',
    ]);
    const { notBefore, notAfter } = Certificate.fromBER(new X509Certificate(certificate).raw);
    expect([notBefore.type, notAfter.type]).toEqual([0, 1]);
  });
});
