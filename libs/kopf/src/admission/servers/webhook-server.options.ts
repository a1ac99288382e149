import type { TlsOptions } from 'node:tls';
import type { WebhookServiceReference } from '../../reviews/webhook-client.config.js';
import { type SecretCertificatesOptions, SecretCertificates } from '../certificates/secret.certificates.js';
import type { CertificateSource } from '../certificates/server.certificate.js';
import { KopfBootstrapError } from '../../common/kopf.errors.js';
import { CertificateFiles } from '../certificates/certificate.files.js';
import {
  excludes,
  findOptionViolations,
  isCount,
  isDuration,
  isFlag,
  isList,
  isNamed,
  isObject,
  isSeconds,
  isString,
  isText,
  needs,
  oneOf,
  Rule,
  whenTrue,
  type OptionRule,
  type OptionsClass,
} from '../../settings/option.validation.js';
import { SelfSignedCertificates } from '../certificates/self-signed.certificates.js';

/**
 * Decides about clients' certificates: none are asked for; asked for, and rejected if they are not by a trusted authority; or
 * rejected also if there is none.
 */
export type VerifyMode = 'none' | 'optional' | 'required';

/** Tells where a webhook server listens. */
export interface ListeningOptions {
  /** The address to listen at. @default all addresses */
  readonly addr?: string;
  /** The port to listen at. @default a free one */
  readonly port?: number;
  /** The path that all webhooks are under. @default / */
  readonly path?: string;
}

/** Configures a {@link WebhookServer}: where it listens, what it shows, and what it accepts. Files are PEM. */
export interface WebhookServerOptions extends ListeningOptions {
  /** The host name in the URLs of the webhooks. @default the address; `localhost` for all addresses */
  readonly host?: string;
  /** The service in the cluster that leads to the server: then webhooks refer to it, and not to a URL. */
  readonly service?: WebhookServiceReference & { readonly name: string };

  /** The server's certificate. It is looked at again from time to time. @default a self-signed one */
  readonly certfile?: string;
  /** The private key of the certificate. */
  readonly pkeyfile?: string;
  /** The password of the private key, if it is encrypted. */
  readonly password?: string;
  /** The authorities by which the API server verifies the certificate. @default the certificate, or its generated authority */
  readonly cafile?: string;
  /** The same as a text. */
  readonly cadata?: string;
  /** A file to write the authorities to, for `curl --cacert`. */
  readonly cadump?: string;
  /** More host names and addresses for a generated certificate. */
  readonly extraSans?: readonly string[];
  /** A certificate that is generated once, kept in a Secret, and shared by all replicas. */
  readonly secret?: SecretCertificatesOptions;
  /** Any other source of certificates. */
  readonly certificates?: CertificateSource;
  /** Serves HTTP without TLS, which Kubernetes does not call. @default false */
  readonly insecure?: boolean;
  /** More options of TLS: versions, ciphers. */
  readonly tls?: Pick<TlsOptions, 'minVersion' | 'maxVersion' | 'ciphers' | 'ecdhCurve' | 'sigalgs'>;

  /** @default optional with authorities for the clients' certificates, none without */
  readonly verifyMode?: VerifyMode;
  /** The authorities for the clients' certificates. */
  readonly verifyCafile?: string;
  /** The same as a text. */
  readonly verifyCadata?: string;

  /** Sets how often the files are checked, in seconds. @default 60 */
  readonly fileCheckInterval?: number;
  /** Seconds from the publication of a new authority to its first use. @default 30 */
  readonly bundleDelay?: number;
  /** The largest review, in bytes: it has two objects of up to 1.5 MiB, and more in JSON than in storage. @default 8 MiB */
  readonly bodyLimit?: number;
  /** Seconds in which a request must have come completely. @default 30 */
  readonly requestTimeout?: number;
  /** Seconds after which a request is given up that is not answered; Kubernetes waits for no longer than 30. @default 35 */
  readonly answerTimeout?: number;
  /**
   * Seconds for which new connections are accepted after the operator was asked to stop, as services notice it late. Meanwhile each
   * connection is closed after its next answer. @default 5 with a service, 0 without
   */
  readonly closeDelay?: number;
  /** Seconds for which answers in progress are waited for when the server closes. @default 10 */
  readonly closeTimeout?: number;
}

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

/** Requires authorities to verify clients' certificates by. */
const isVerifiable: OptionRule = (value, options) =>
  value === 'none' ? undefined : needs('verifyCafile', 'verifyCadata')(value, options);

/** Requires TLS: without it, there are no certificates of clients. */
const needsTls: OptionRule = (_, { insecure }) =>
  insecure ? "cannot be used with 'insecure', without TLS" : undefined;

/** Requires the certificate whose authorities they are; those of clients are others. */
const needsCertificate: OptionRule = (_, { certfile, insecure }) =>
  certfile || insecure
    ? undefined
    : "needs the option 'certfile'; for the authorities of clients there is 'verifyCafile'";

/** Has the rules for where a server listens. */
export class ListeningRules implements Record<keyof ListeningOptions, unknown> {
  @Rule(isString) addr: unknown;
  @Rule(isCount) port: unknown;
  @Rule(isString) path: unknown;
}

/** Has the rules for the options. */
class WebhookServerRules extends ListeningRules implements Record<keyof WebhookServerOptions, unknown> {
  @Rule(isString, excludes('service')) host: unknown;
  @Rule(isNamed) service: unknown;
  @Rule(isText, needs('pkeyfile'), excludes('secret', 'certificates')) certfile: unknown;
  @Rule(isText, needs('certfile')) pkeyfile: unknown;
  @Rule(isString) password: unknown;
  @Rule(isText, excludes('cadata'), needsCertificate) cafile: unknown;
  @Rule(isText, needsCertificate) cadata: unknown;
  @Rule(isText) cadump: unknown;
  @Rule(isList) extraSans: unknown;
  @Rule(isNamed, excludes('certificates')) secret: unknown;
  @Rule(isObject) certificates: unknown;
  @Rule(isFlag, whenTrue(excludes('certfile', 'secret', 'certificates'))) insecure: unknown;
  @Rule(isObject) tls: unknown;
  @Rule(oneOf('none', 'optional', 'required'), isVerifiable) verifyMode: unknown;
  @Rule(isText, excludes('verifyCadata'), needsTls) verifyCafile: unknown;
  @Rule(isText, needsTls) verifyCadata: unknown;
  @Rule(isDuration) fileCheckInterval: unknown;
  @Rule(isSeconds) bundleDelay: unknown;
  @Rule(isCount) bodyLimit: unknown;
  @Rule(isDuration) requestTimeout: unknown;
  @Rule(isDuration) answerTimeout: unknown;
  @Rule(isSeconds) closeDelay: unknown;
  @Rule(isSeconds) closeTimeout: unknown;
}

/**
 * Checks the options of a class of servers.
 *
 * @throws KopfBootstrapError that names every bad option, and those that contradict each other.
 */
export function checkServerOptions(server: string, rules: OptionsClass, options: object): void {
  const violations = findOptionViolations(rules, options, { titleOf: (name) => `${server}: option '${name}'` });
  if (violations.length > 0) throw new KopfBootstrapError(violations);
}

/**
 * Fills in the defaults.
 *
 * @throws KopfBootstrapError that names every bad option, and those that contradict each other.
 */
export function completeOptions(options: WebhookServerOptions): CompleteOptions {
  checkServerOptions('WebhookServer', WebhookServerRules, options);
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
