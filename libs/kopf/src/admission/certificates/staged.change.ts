import type { AdmissionServerContext } from '../servers/admission-server.interface.js';
import { sleep } from '../../common/waiting.js';
import { mergeBundles } from './certificate.checks.js';
import type { ServerCertificate } from './server.certificate.js';

/**
 * Goes over from one certificate to another so that clients trust the server all the time: if the authorities differ,
 * first with both of them and the old certificate, and only after a while with the new one. Authorities that are
 * published in advance need no stages.
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
