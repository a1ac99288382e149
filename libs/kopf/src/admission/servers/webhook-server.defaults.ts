import { KopfBootstrapError } from '../../common/kopf.errors.js';
import { CertificateFiles } from '../certificates/certificate.files.js';
import { SecretCertificates } from '../certificates/secret.certificates.js';
import { SelfSignedCertificates } from '../certificates/self-signed.certificates.js';
import type { CertificateSource } from '../certificates/server.certificate.js';
import type { WebhookServerOptions } from './webhook-server.options.js';

const DEFAULTS = {
  insecure: false,
  fileCheckInterval: 60,
  bundleDelay: 30,
  bodyLimit: 8 * 1024 * 1024,
  requestTimeout: 30,
  answerTimeout: 35,
  closeTimeout: 10,
} as const;

/** Waits so many seconds until a service routes no connections to a stopping replica any more. */
const SERVICE_DELAY = 5;

/** The options of a server, with nothing left open that has a default. */
export type CompleteOptions = WebhookServerOptions &
  Required<Pick<WebhookServerOptions, keyof typeof DEFAULTS | 'closeDelay' | 'verifyMode'>>;

/**
 * Fills in the defaults.
 *
 * @throws KopfBootstrapError if options contradict each other.
 */
export function completeOptions(options: WebhookServerOptions): CompleteOptions {
  const violations = findViolations(options);
  if (violations.length) throw new KopfBootstrapError(violations);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const isVerifying = options.verifyCafile !== undefined || options.verifyCadata !== undefined;
  const verifyMode = isVerifying ? 'optional' : 'none';
  const closeDelay = options.service ? SERVICE_DELAY : 0;
  return { ...DEFAULTS, verifyMode, closeDelay, ...Object.fromEntries(given) };
}

/** Chooses the source of the certificate by the options. */
export function chooseCertificates(options: CompleteOptions): CertificateSource {
  const { certificates, secret, certfile, pkeyfile, password, cafile, cadata, bundleDelay } = options;
  const interval = options.fileCheckInterval;
  if (certificates) return certificates;
  if (secret) return new SecretCertificates(secret);
  if (certfile === undefined || pkeyfile === undefined) return new SelfSignedCertificates(bundleDelay);
  return new CertificateFiles({ certfile, pkeyfile, password, cafile, cadata, interval, bundleDelay });
}

function findViolations(options: WebhookServerOptions): readonly string[] {
  const { certfile, pkeyfile, cafile, cadata, secret, certificates, insecure, host, service } = options;
  const violations: string[] = [];
  const exclude = (names: Readonly<Record<string, unknown>>): void => {
    const given = Object.keys(names).filter((name) => names[name]);
    if (given.length > 1) violations.push(`Of ${given.join(' and ')}, a server of webhooks can have only one.`);
  };
  exclude({ certfile, secret, certificates, insecure });
  exclude({ host, service });
  exclude({ cafile, cadata });
  exclude({ verifyCafile: options.verifyCafile, verifyCadata: options.verifyCadata });
  if ((cafile || cadata) && !certfile && !insecure) {
    violations.push(
      'cafile and cadata are the authorities of a certfile, which is not given; those of clients are in verifyCafile.',
    );
  }
  if (!certfile !== !pkeyfile)
    violations.push('A server of webhooks needs both certfile and pkeyfile, or none of them.');
  const isVerifying = options.verifyMode !== undefined && options.verifyMode !== 'none';
  if (isVerifying && !options.verifyCafile && !options.verifyCadata) {
    violations.push("To verify clients' certificates, a server of webhooks needs verifyCafile or verifyCadata.");
  }
  if (insecure && (isVerifying || options.verifyCafile || options.verifyCadata)) {
    violations.push('Without TLS, there are no certificates of clients to verify.');
  }
  return violations;
}
