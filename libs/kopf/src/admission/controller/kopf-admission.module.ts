import { Module, type DynamicModule } from '@nestjs/common';
import { ReviewDispatcher } from '../review/review.dispatcher.js';
import { AdmissionBodies } from './admission.bodies.js';
import { createAdmissionController } from './admission.controller.js';
import {
  checkAddress,
  checkModuleOptions,
  type KopfAdmissionAddress,
  type KopfAdmissionAsyncOptions,
  type KopfAdmissionOptions,
  ADMISSION_ADDRESS,
  ADMISSION_MODULE,
  ADMISSION_PATH,
} from './admission.options.js';
import { AdmissionRoute } from './admission.route.js';
import { HostServer } from './host.server.js';

const MOUNTED = Symbol('MOUNTED');

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
    return KopfAdmissionModule.forRootAsync({ ...rest, useFactory: () => ({ url, service, caBundle }) });
  }

  /** Does the same as {@link forRoot}, with an address that is created when the application starts. */
  static forRootAsync(options: KopfAdmissionAsyncOptions): DynamicModule {
    const { path = 'admission', guards, decorators, imports = [], providers = [], useFactory, inject = [] } = options;
    checkModuleOptions(options);
    return {
      module: KopfAdmissionModule,
      imports,
      controllers: [createAdmissionController({ path, guards, decorators })],
      providers: [
        ...providers,
        AdmissionRoute,
        AdmissionBodies,
        HostServer,
        { provide: ADMISSION_PATH, useValue: path },
        { provide: ADMISSION_MODULE, useValue: KopfAdmissionModule },
        {
          provide: ADMISSION_ADDRESS,
          useFactory: async (...args: unknown[]): Promise<KopfAdmissionAddress> => {
            const address = await useFactory(...args);
            checkAddress(address);
            return address;
          },
          inject,
        },
        {
          provide: MOUNTED,
          useFactory: (admission: ReviewDispatcher, server: HostServer, bodies: AdmissionBodies) => {
            admission.mount(server, server.configurationError);
            bodies.install();
          },
          inject: [ReviewDispatcher, HostServer, AdmissionBodies],
        },
      ],
    };
  }
}
