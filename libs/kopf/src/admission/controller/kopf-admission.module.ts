import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { provideOwn, provideService, requireOperators } from '../../discovery/operator.providers.js';
import { type AbstractHttpAdapter, HttpAdapterHost } from '@nestjs/core';
import type { Clock } from 'kube-common';
import type { KopfLogger } from '../../common/kopf.logger.js';
import { DEFAULT_OPERATOR, KOPF_CLOCK, KOPF_LOGGER, operatorTokenOf, ownTokenOf } from '../../kopf.tokens.js';
import { KopfSettings } from '../../settings/kopf.settings.js';
import { ReviewDispatcher } from '../review/review.dispatcher.js';
import { AdmissionBodies } from './admission.bodies.js';
import { createAdmissionController } from './admission.controller.js';
import {
  checkAddress,
  checkModuleOptions,
  type KopfAdmissionAsyncOptions,
  type KopfAdmissionOptions,
  ADMISSION_ADDRESS,
  ADMISSION_MODULE,
  ADMISSION_PATH,
  SYNC_OPTIONS,
} from './admission.options.js';
import { provideOptions } from '../../settings/options.providers.js';
import { AdmissionRoute } from './admission.route.js';
import { HostServer } from './host.server.js';
import { APPLICATION_SERVER } from '../servers/admission.servers.js';
import { readClientCertificate } from '../servers/client.certificates.js';
import { ReviewEndpoint } from '../servers/review.endpoint.js';

/** The services of the operator that the module injects. */
const SERVICES = [ReviewDispatcher, KopfSettings, KOPF_CLOCK, KOPF_LOGGER];

const PROVIDERS: Provider[] = [
  AdmissionRoute,
  { provide: ADMISSION_MODULE, useFactory: () => KopfAdmissionModule },
  {
    provide: ReviewEndpoint,
    useFactory: createEndpoint,
    inject: [
      ownTokenOf(ReviewDispatcher),
      AdmissionRoute,
      ...[KopfSettings, KOPF_CLOCK, KOPF_LOGGER].map((service) => ownTokenOf(service)),
    ],
  },
  {
    provide: AdmissionBodies,
    useFactory: createBodies,
    inject: [HttpAdapterHost, AdmissionRoute, ownTokenOf(KopfSettings), ReviewEndpoint],
  },
];

function createEndpoint(
  dispatcher: ReviewDispatcher,
  route: AdmissionRoute,
  settings: KopfSettings,
  clock: Clock,
  logger: KopfLogger,
): ReviewEndpoint {
  return new ReviewEndpoint({
    review: dispatcher.answer.bind(dispatcher),
    get path() {
      return route.base;
    },
    get bodyLimit() {
      return settings.admission.bodyLimit;
    },
    identify: readClientCertificate,
    clock,
    logger,
  });
}

/** Creates the reader of bodies, and has it prepare the HTTP server of the application as soon as there is one. */
function createBodies(
  host: HttpAdapterHost,
  route: AdmissionRoute,
  settings: KopfSettings,
  endpoint: ReviewEndpoint,
): AdmissionBodies {
  const bodies = new AdmissionBodies(route, settings, endpoint);
  host.init$.subscribe(() => bodies.prepare(host.httpAdapter as AbstractHttpAdapter | null | undefined));
  return bodies;
}

/**
 * The module that serves webhooks by a controller on the HTTP server of the application, with its guards and its logging. API servers
 * require TLS: the application, or a proxy in front of it, must have a certificate.
 *
 * @example
 * @Module({
 *   imports: [
 *     KopfAdmissionModule.forRoot({ service: { namespace: 'default', name: 'operator' }, caBundle: readFileSync('ca.pem', 'utf8') }),
 *     KopfModule.forRoot({ admission: { managed: 'evc.example.com' } }),
 *   ],
 * })
 * export class AppModule {}
 */
@Module({})
export class KopfAdmissionModule {
  /** @throws KopfOptionsError, some of them when the application starts, if options are wrong. */
  static forRoot(options: KopfAdmissionOptions = {}): DynamicModule {
    const { url, service, caBundle, ...rest } = options;
    return KopfAdmissionModule.create({ ...rest, useFactory: () => ({ url, service, caBundle }) }, SYNC_OPTIONS);
  }

  /** Does the same as {@link forRoot} with an address that is created when the application starts. */
  static forRootAsync(options: KopfAdmissionAsyncOptions): DynamicModule {
    return KopfAdmissionModule.create(options);
  }

  private static create(options: KopfAdmissionAsyncOptions, known?: readonly string[]): DynamicModule {
    checkModuleOptions(options, known);
    const { operator = DEFAULT_OPERATOR, guards, decorators, imports = [], providers = [] } = options;
    const { path = operator === DEFAULT_OPERATOR ? 'admission' : `admission-${operator}` } = options;
    return {
      module: KopfAdmissionModule,
      imports,
      controllers: [createAdmissionController({ path, guards, decorators })],
      providers: [
        requireOperators('KopfAdmissionModule', [operator]),
        ...providers,
        // The address can be made by the application's own providers.
        ...provideOptions(options, {
          provide: ADMISSION_ADDRESS,
          module: 'KopfAdmissionModule',
          method: 'createKopfAdmissionOptions',
          complete: checkAddress,
        }),
        { provide: ADMISSION_PATH, useValue: path },
        provideService(operator, HostServer),
        // The operator finds the server under this token, if the application imports the module.
        { provide: operatorTokenOf(operator, APPLICATION_SERVER), useExisting: operatorTokenOf(operator, HostServer) },
        ...PROVIDERS,
        ...provideOwn(operator, SERVICES),
      ],
    };
  }
}
