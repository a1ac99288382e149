import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { errorText, sleep } from 'kube-common';
import { CertificateError, type ServerCertificate } from './server.certificate.js';
import type { AdmissionServerContext } from '../../reviews/admission-server.interface.js';

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Checks that a server can use a certificate at a time.
 *
 * @param now in milliseconds since the epoch.
 * @throws CertificateError with the reason; it contains nothing of the key.
 */
export function checkCertificate(
  { certificate, privateKey, password, caBundle }: ServerCertificate,
  now: number,
): void {
  const { from, until } = attempt(() => readValidity(certificate), 'The certificate cannot be read');
  const material = { cert: certificate, key: privateKey, passphrase: password };
  attempt(() => createSecureContext(material), 'The certificate cannot be used with its key');
  if (!privateKey) throw new CertificateError('The private key of the certificate is empty.');
  if (until <= now) throw new CertificateError(`The certificate has expired at ${new Date(until).toISOString()}.`);
  if (from > now) throw new CertificateError(`The certificate is valid only from ${new Date(from).toISOString()}.`);
  if (caBundle !== undefined && !splitCertificates(caBundle).length) {
    throw new CertificateError("The bundle of authorities' certificates has none in it.");
  }
}

/** Checks whether two certificates are the same, with their keys and authorities. */
export function isSameCertificate(one: ServerCertificate, other: ServerCertificate): boolean {
  return (
    one.certificate === other.certificate && one.privateKey === other.privateKey && one.caBundle === other.caBundle
  );
}

function attempt<T>(action: () => T, failure: string): T {
  try {
    return action();
  } catch (error) {
    throw new CertificateError(`${failure}: ${errorText(error)}`);
  }
}

/** Reads the time in which the first certificate of the PEM is valid, in milliseconds since the epoch. */
export function readValidity(pem: string): { readonly from: number; readonly until: number } {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { from: new Date(validFrom).getTime(), until: new Date(validTo).getTime() };
}

/** The host names and addresses of the first certificate of the PEM. */
export function readNames(pem: string): readonly string[] {
  return splitNames(new X509Certificate(pem).subjectAltName);
}

/** The names in the text that Node makes of alternative names: `DNS:localhost, IP Address:127.0.0.1`. */
export function splitNames(text = ''): readonly string[] {
  return [...text.matchAll(/(?:^|, )(?:DNS|IP Address):("[^"]*"|[^,]*)/g)].map(([, name]) => name);
}

/** Checks whether the first certificate of the PEM is valid for all of the host names and addresses. */
export function coversNames(pem: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  return names.every((name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)));
}

/** Checks whether the first certificate of the PEM is signed by one of the bundle's. */
export function isIssuedWithin(pem: string, bundle: string): boolean {
  const certificate = new X509Certificate(pem);
  const authorities = splitCertificates(bundle).map((each) => new X509Certificate(each));
  return authorities.some((each) => certificate.checkIssued(each) && certificate.verify(each.publicKey));
}

/** Merges bundles into one, without repetitions and expired certificates. */
export function mergeBundles(bundles: readonly (string | undefined)[], now: number): string {
  const certificates = new Set(bundles.flatMap((bundle) => splitCertificates(bundle ?? '')));
  return [...certificates].map((each) => (isOver(each, now) ? '' : `${each}\n`)).join('');
}

function isOver(pem: string, now: number): boolean {
  try {
    return readValidity(pem).until <= now;
  } catch {
    return true;
  }
}

function splitCertificates(bundle: string): readonly string[] {
  return bundle.match(PEM_CERTIFICATE) ?? [];
}

/** The part of its lifetime after which a certificate that the operator has made is replaced. */
export const RENEWAL = 2 / 3;

/**
 * Replaces one certificate by another so that clients trust the server all the time. If the authorities differ, the bundle of both is
 * published first, with the old certificate, and after the delay the new certificate. Authorities that were published before need no
 * stages.
 *
 * @param delay seconds until clients know of new authorities.
 */
export async function* changeInStages(
  previous: ServerCertificate,
  next: ServerCertificate,
  delay: number,
  context: Pick<AdmissionServerContext, 'clock' | 'signal'>,
): AsyncGenerator<ServerCertificate, void, undefined> {
  const { clock, signal } = context;
  const isNew = previous.certificate !== next.certificate && previous.caBundle !== next.caBundle;
  if (isNew && previous.caBundle !== undefined && next.caBundle !== undefined) {
    const caBundle = mergeBundles([previous.caBundle, next.caBundle], clock.now());
    yield { ...previous, caBundle };
    await sleep(clock, delay, signal);
    yield { ...next, caBundle };
    await sleep(clock, delay, signal);
  }
  if (!signal.aborted) yield next;
}
