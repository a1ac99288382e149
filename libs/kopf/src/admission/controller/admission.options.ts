import type { CanActivate, ModuleMetadata, FactoryProvider, Type } from '@nestjs/common';
import { ControllerModuleRules, listSyncOptions } from '../../settings/controller-module.rules.js';
import { checkOptions, excludes, isNamed, isText, must, Rule } from '../../settings/option.validation.js';
import type { WebhookServiceReference } from '../../reviews/webhook-client.config.js';

/** The address of the application for the API server, which managed webhook configurations contain. */
export interface KopfAdmissionAddress {
  /**
   * The URL of the application: `https://operator.example.com:8443`. The path of the controller (`/admission`, after the application's
   * global prefix) is added to it, unless it ends with that path already.
   */
  url?: string;
  /** The service in the cluster that leads to the application, instead of a URL. Its path is the path of the controller. */
  service?: Omit<WebhookServiceReference, 'path'>;
  /**
   * The certificate of the authority that has signed the application's certificate, in PEM or base64. @default one that the API server
   * trusts anyway
   */
  caBundle?: string;
}

/** The options of the routes of the controller; they must be known before the application starts. */
export interface KopfAdmissionControllerOptions {
  /**
   * The name of the operator whose handlers answer, if it has one. Import the module once for each operator. @default the operator without
   * a name
   */
  operator?: string;
  /**
   * The path of the controller, under the application's global prefix. The paths of several operators must not be the same, and none of
   * them may begin with another one.
   *
   * @default 'admission', or 'admission-{operator}'
   */
  path?: string;
  /** Guards of the controller: classes that are providers of the application's or of the imported modules, or instances. */
  guards?: readonly (Type<CanActivate> | CanActivate)[];
  /** Other decorators of the controller, such as those that exempt it from the application's global guards. */
  decorators?: readonly ClassDecorator[];
}

/** The options of `KopfAdmissionModule.forRoot()`. */
export interface KopfAdmissionOptions
  extends KopfAdmissionAddress, KopfAdmissionControllerOptions, Pick<ModuleMetadata, 'imports' | 'providers'> {}

/** The factory of the address; to be implemented by a provider of the application. */
export interface KopfAdmissionOptionsFactory {
  createKopfAdmissionOptions(): KopfAdmissionAddress | Promise<KopfAdmissionAddress>;
}

/** The options of `KopfAdmissionModule.forRootAsync()`. What the routes need is given here. */
export interface KopfAdmissionAsyncOptions
  extends KopfAdmissionControllerOptions, Pick<ModuleMetadata, 'imports' | 'providers'> {
  /** Creates the address from the injected providers. */
  useFactory?: (...args: any[]) => KopfAdmissionAddress | Promise<KopfAdmissionAddress>;
  inject?: FactoryProvider['inject'];
  /** The class of a provider that is created to make the address. */
  useClass?: Type<KopfAdmissionOptionsFactory>;
  /** The class of a provider in the imported modules that makes the address. */
  useExisting?: Type<KopfAdmissionOptionsFactory>;
}

/** The rule of a URL that Kubernetes accepts for a webhook. */
const isUrl = must('a URL that begins with https:// and has neither a query nor a fragment', (value) => {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, search, hash, username } = new URL(value);
  return protocol === 'https:' && !search && !hash && !username;
});

/** The rules of the address. */
class AddressRules implements Record<keyof KopfAdmissionAddress, unknown> {
  @Rule(isUrl, excludes('service')) url: unknown;
  @Rule(isNamed) service: unknown;
  @Rule(isText) caBundle: unknown;
}

/** The names of the options of `forRoot()`. */
export const SYNC_OPTIONS = listSyncOptions(ControllerModuleRules, AddressRules);

/**
 * Checks the options of the module.
 *
 * @param known the names that a wrong one is compared with. @default those of `forRootAsync()`
 * @throws KopfOptionsError that names every bad option.
 */
export function checkModuleOptions(options: KopfAdmissionAsyncOptions, known?: readonly string[]): void {
  checkOptions(ControllerModuleRules, options, 'KopfAdmissionModule', { known });
}

/**
 * Checks an address.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function checkAddress(address: KopfAdmissionAddress): KopfAdmissionAddress {
  checkOptions(AddressRules, address, 'KopfAdmissionModule');
  return address;
}

/** Injection token of the path of the controller. */
export const ADMISSION_PATH = Symbol('ADMISSION_PATH');
/** Injection token of the class of the module, for which `RouterModule` can set a path. */
export const ADMISSION_MODULE = Symbol('ADMISSION_MODULE');
export const ADMISSION_ADDRESS = Symbol('ADMISSION_ADDRESS');
