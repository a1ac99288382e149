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
 * The verification of clients' certificates. `none`: the server asks for no certificate. `optional`: it rejects certificates that no
 * trusted authority has signed. `required`: it rejects clients without a certificate, too.
 */
export type VerifyMode = 'none' | 'optional' | 'required';

/** The options of the address at which a webhook server listens. */
export interface ListeningOptions {
  /** The address to listen at. @default all addresses */
  readonly addr?: string;
  /** The port to listen at. @default a free one */
  readonly port?: number;
  /** The path that all webhooks are under. @default / */
  readonly path?: string;
}

/** The options of a {@link WebhookServer}: its address, its certificate, and the requests that it accepts. Files are PEM. */
export interface WebhookServerOptions extends ListeningOptions {
  /** The host name in the URLs of the webhooks. @default the address; `localhost` for all addresses */
  readonly host?: string;
  /** The service in the cluster that leads to the server. Webhooks refer to the service then, and not to a URL. */
  readonly service?: WebhookServiceReference & { readonly name: string };

  /** The file of the server's certificate, which is read again periodically. @default a self-signed one */
  readonly certfile?: string;
  /** The file of the private key of the certificate. */
  readonly pkeyfile?: string;
  /** The password of the private key, if it is encrypted. */
  readonly password?: string;
  /** The file of the authorities by which the API server verifies the certificate. @default the certificate, or its generated authority */
  readonly cafile?: string;
  /** The same authorities as a text. */
  readonly cadata?: string;
  /** A file to write the authorities to, for `curl --cacert`. */
  readonly cadump?: string;
  /** More host names and addresses for a generated certificate. */
  readonly extraSans?: readonly string[];
  /** A certificate that is generated once, kept in a Secret, and shared by all replicas. */
  readonly secret?: SecretCertificatesOptions;
  /** Any other source of certificates. */
  readonly certificates?: CertificateSource;
  /** Whether the server speaks HTTP without TLS, which API servers do not call. @default false */
  readonly insecure?: boolean;
  /** More options of TLS: versions, ciphers. */
  readonly tls?: Pick<TlsOptions, 'minVersion' | 'maxVersion' | 'ciphers' | 'ecdhCurve' | 'sigalgs'>;

  /** @default optional with authorities for the clients' certificates, none without */
  readonly verifyMode?: VerifyMode;
  /** The file of the authorities for the clients' certificates. */
  readonly verifyCafile?: string;
  /** The same authorities as a text. */
  readonly verifyCadata?: string;

  /** The seconds between two checks of the files. @default 60 */
  readonly fileCheckInterval?: number;
  /** The seconds between the publication of a new authority and its first use. @default 30 */
  readonly bundleDelay?: number;
  /** The largest review, in bytes: it contains two objects of up to 1.5 MiB in storage, which are larger in JSON. @default 8 MiB */
  readonly bodyLimit?: number;
  /** The seconds within which a request must have come completely. @default 30 */
  readonly requestTimeout?: number;
  /** The seconds after which a request without an answer is given up; API servers wait for 30 seconds at most. @default 35 */
  readonly answerTimeout?: number;
  /**
   * The seconds for which new connections are accepted after the operator was asked to stop, as services notice that late. In this time,
   * each connection is closed after its next answer. @default 5 with a service, 0 without
   */
  readonly closeDelay?: number;
  /** The seconds for which the server waits for answers in progress when it closes. @default 10 */
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

/** The seconds until a service routes no connections to a stopping replica any more. */
const SERVICE_DELAY = 5;

/** The options of a server, with all defaults. */
export type CompleteOptions = WebhookServerOptions &
  Required<Pick<WebhookServerOptions, keyof typeof DEFAULTS | 'closeDelay' | 'verifyMode'>>;

/** The rule that verification needs authorities for the clients' certificates. */
const isVerifiable: OptionRule = (value, options) =>
  value === 'none' ? undefined : needs('verifyCafile', 'verifyCadata')(value, options);

/** The rule that certificates of clients need TLS. */
const needsTls: OptionRule = (_, { insecure }) =>
  insecure ? "cannot be used with 'insecure', without TLS" : undefined;

/** The rule that authorities need the server's certificate, which they verify. */
const needsCertificate: OptionRule = (_, { certfile, insecure }) =>
  certfile || insecure
    ? undefined
    : "needs the option 'certfile'; for the authorities of clients there is 'verifyCafile'";

/** The rules of the address at which a server listens. */
export class ListeningRules implements Record<keyof ListeningOptions, unknown> {
  @Rule(isString) addr: unknown;
  @Rule(isCount) port: unknown;
  @Rule(isString) path: unknown;
}

/** The rules of the options. */
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
 * Completes the options with the defaults.
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
