import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { provideOwn, provideService, requireOperators } from '../../discovery/operator.providers.js';
import { DEFAULT_OPERATOR, KOPF_LOGGER, operatorTokenOf, ownTokenOf } from '../../kopf.tokens.js';
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

const MOUNTED = Symbol('MOUNTED');

const PROVIDERS: Provider[] = [
  AdmissionRoute,
  AdmissionBodies,
  { provide: ADMISSION_MODULE, useFactory: () => KopfAdmissionModule },
];

/** The services of the operator that the module injects. */
const SERVICES = [ReviewDispatcher, KopfSettings, KOPF_LOGGER];

/**
 * Serves webhooks by a controller of the application, on its own HTTP server, with its guards and its logging. API servers speak
 * only TLS: the application, or a proxy in front of it, must do so, too.
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

  /** Does the same as {@link forRoot}, with an address that is created when the application starts. */
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
        // The application's own providers can be needed for the address.
        ...provideOptions(options, {
          provide: ADMISSION_ADDRESS,
          module: 'KopfAdmissionModule',
          method: 'createKopfAdmissionOptions',
          complete: checkAddress,
        }),
        { provide: ADMISSION_PATH, useValue: path },
        provideService(operator, HostServer),
        ...PROVIDERS,
        {
          provide: MOUNTED,
          useFactory: (admission: ReviewDispatcher, server: HostServer, bodies: AdmissionBodies) => {
            admission.mount(server, server.configurationError, () => server.hasHost);
            bodies.install();
          },
          inject: [ownTokenOf(ReviewDispatcher), operatorTokenOf(operator, HostServer), AdmissionBodies],
        },
        ...provideOwn(operator, SERVICES),
      ],
    };
  }
}
