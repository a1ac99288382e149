import { SeededRandom } from 'kube-common';
import { VirtualClock } from '../../testing/time/virtual.clock.js';
import {
  checkCertificate,
  coversNames,
  isIssuedWithin,
  isSameCertificate,
  mergeBundles,
  readNames,
  readValidity,
  splitNames,
  changeInStages,
} from './certificate.checks.js';
import { generateCertificate, type GeneratedCertificate } from './certificate.factory.js';

const NAMES = ['hooks.ns.svc', '127.0.0.1', '::1', '*.example.com'];

describe('isSameCertificate', () => {
  const one = { certificate: 'a', privateKey: 'b', password: 'c', caBundle: 'd' };

  it.each([
    ['nothing differs', {}, true],
    ['only the password differs', { password: 'x' }, true],
    ['the certificate differs', { certificate: 'x' }, false],
    ['the key differs', { privateKey: 'x' }, false],
    ['the authorities differ', { caBundle: 'x' }, false],
    ['there are no authorities any more', { caBundle: undefined }, false],
  ])('should tell whether two are the same if %s', (_what, change, expected) => {
    expect(isSameCertificate(one, { ...one, ...change })).toBe(expected);
  });
});

describe('the certificates', () => {
  const clock = new VirtualClock();
  const now = clock.now();
  let one: GeneratedCertificate;
  let two: GeneratedCertificate;

  beforeAll(async () => {
    const tools = { clock, random: new SeededRandom(1) };
    one = await generateCertificate({ names: NAMES, lifetime: 100 }, tools);
    two = await generateCertificate({ names: ['x'.repeat(70)], lifetime: 200 }, tools);
  });

  it('should be valid for a while, from a little earlier, and for the names', () => {
    expect(readValidity(one.certificate)).toEqual({ from: now - 24 * 3_600_000, until: now + 100_000 });
    expect(readNames(one.certificate)).toEqual(['hooks.ns.svc', '127.0.0.1', '0:0:0:0:0:0:0:1', '*.example.com']);
    expect(coversNames(one.certificate, [...NAMES.slice(0, 3), 'a.example.com'])).toBe(true);
    expect(coversNames(one.certificate, ['other'])).toBe(false);
    expect(coversNames(one.certificate, ['127.0.0.2'])).toBe(false);
  });

  it.each<[string, () => Partial<GeneratedCertificate>, number, string]>([
    ['has expired', () => ({}), 100_000, 'has expired at 2021-01-01T00:01:39.000Z'],
    ['is not valid yet', () => ({}), -24 * 3_600_000 - 100_000, 'is valid only from 2020-12-30T23:59:59.000Z'],
    ['has the key of another one', () => ({ privateKey: two.privateKey }), 0, 'cannot be used with its key'],
    ['has no key', () => ({ privateKey: '' }), 0, 'The private key of the certificate is empty'],
    ['is none', () => ({ certificate: 'nothing' }), 0, 'The certificate cannot be read'],
    ['has no authorities in its bundle', () => ({ caBundle: 'nothing' }), 0, 'has none in it'],
  ])('should be refused if it %s', (_title, changes, later, message) => {
    expect(() => checkCertificate(one, now)).not.toThrow();
    expect(() => checkCertificate({ ...one, ...changes() }, now + later)).toThrow(message);
  });

  it('should be known to be by an authority of a bundle', () => {
    expect(isIssuedWithin(one.certificate, two.caBundle + one.caBundle)).toBe(true);
    expect(isIssuedWithin(one.certificate, two.caBundle)).toBe(false);
    expect(isIssuedWithin(one.certificate, '')).toBe(false);
  });

  it('should be merged without repetitions and without expired ones', () => {
    expect(mergeBundles([one.caBundle, undefined, two.caBundle + one.caBundle], now)).toBe(one.caBundle + two.caBundle);
    expect(mergeBundles([one.caBundle, two.caBundle], now + 150_000)).toBe(two.caBundle);
    expect(mergeBundles(['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'], now)).toBe('');
  });

  it.each([
    [undefined, []],
    ['DNS:localhost, IP Address:127.0.0.1', ['localhost', '127.0.0.1']],
    ['URI:spiffe://a, DNS:b', ['b']],
  ])('should read names out of %j', (text, names) => {
    expect(splitNames(text)).toEqual(names);
  });

  it.each<[string, () => Parameters<typeof changeInStages>[1], number]>([
    ['another authority', () => two, 3],
    ['the same authority', () => ({ ...two, caBundle: one.caBundle }), 1],
    ['an authority that was only published', () => ({ ...one, caBundle: one.caBundle + two.caBundle }), 1],
    ['an authority that everybody knows', () => ({ ...two, caBundle: undefined }), 1],
  ])('should change to %s in stages as needed', async (_title, next, stages) => {
    const { signal } = new AbortController();
    const changes: object[] = [];
    const passed = (async () => {
      for await (const change of changeInStages(one, next(), 10, { clock, signal })) changes.push(change);
    })();
    await clock.runUntil(passed);
    expect(changes).toHaveLength(stages);
    expect(changes.at(-1)).toEqual(next());
    const caBundle = one.caBundle + two.caBundle;
    if (stages === 3)
      expect(changes.slice(0, 2)).toEqual([
        { ...one, caBundle },
        { ...two, caBundle },
      ]);
  });
});
