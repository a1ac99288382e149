import type { CanActivate, ModuleMetadata, FactoryProvider, Type } from '@nestjs/common';
import { KopfOptionsError } from '../../common/kopf.errors.js';
import type { WebhookServiceReference } from '../configuration/webhooks.js';

/** Tells the API server where the application is, so that managed webhook configurations can name it. */
export interface KopfAdmissionAddress {
  /**
   * The URL of the application: `https://operator.example.com:8443`. The path of the controller (`/admission`, after the application's
   * global prefix) is added to it, unless it ends with that path already.
   */
  url?: string;
  /** The service in the cluster that leads to the application, instead of a URL; the path is that of the controller. */
  service?: Omit<WebhookServiceReference, 'path'>;
  /** The certificate of the authority that has signed the application's certificate, as PEM or in base64. @default one that the API server trusts anyway */
  caBundle?: string;
}

/** Configures the routes of the controller; they must be known before the application starts. */
export interface KopfAdmissionControllerOptions {
  /** The path of the controller, under the application's global prefix. @default 'admission' */
  path?: string;
  /** Guards of the controller: classes that are providers of the application's or of the imported modules, or instances. */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Other decorators of the controller, such as those that exempt it from the application's global guards. */
  decorators?: readonly ClassDecorator[];
}

/** The options of `KopfAdmissionModule.forRoot()`. */
export interface KopfAdmissionOptions
  extends KopfAdmissionAddress, KopfAdmissionControllerOptions, Pick<ModuleMetadata, 'imports' | 'providers'> {}

/** The options of `KopfAdmissionModule.forRootAsync()`. */
export interface KopfAdmissionAsyncOptions
  extends KopfAdmissionControllerOptions, Pick<ModuleMetadata, 'imports' | 'providers'> {
  /** Makes the address out of the injected providers. */
  useFactory: (...args: any[]) => KopfAdmissionAddress | Promise<KopfAdmissionAddress>;
  inject?: FactoryProvider['inject'];
}

/**
 * Checks the path of the controller.
 *
 * @throws KopfOptionsError if it is empty: the controller would get everything that is meant for others.
 */
export function checkPath(path: string): void {
  if (!path.replaceAll('/', '')) throw new KopfOptionsError(['path of KopfAdmissionModule must not be empty']);
}

/**
 * Checks an address.
 *
 * @throws KopfOptionsError that names every violation.
 */
export function checkAddress({ url, service }: KopfAdmissionAddress): void {
  const violations: string[] = [];
  if (url !== undefined && service !== undefined)
    violations.push('url and service of KopfAdmissionModule exclude each other');
  if (url !== undefined && !isUrl(url)) {
    violations.push(
      'url of KopfAdmissionModule must be a URL that begins with https:// and has neither a query nor a fragment',
    );
  }
  if (service !== undefined && !service.name) violations.push('service of KopfAdmissionModule must have a name');
  if (violations.length > 0) throw new KopfOptionsError(violations);
}

/** Checks that Kubernetes accepts the text as the URL of a webhook. */
function isUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, search, hash, username } = new URL(text);
  return protocol === 'https:' && !search && !hash && !username;
}

/** Injection tokens of what the controller of reviews is made of. */
export const ADMISSION_PATH = Symbol('ADMISSION_PATH');
/** The class of the module, which `RouterModule` can give a path of its own. */
export const ADMISSION_MODULE = Symbol('ADMISSION_MODULE');
export const ADMISSION_ADDRESS = Symbol('ADMISSION_ADDRESS');
