import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { InjectOwn, KOPF_OPERATOR_NAME, operatorTokenOf } from '../../kopf.tokens.js';
import type { AdmissionServer } from '../../reviews/admission-server.interface.js';
import { KopfSettings } from '../../settings/kopf.settings.js';

/** Injection token of the {@link ApplicationServer} of an operator, which `KopfAdmissionModule` provides. */
export const APPLICATION_SERVER = Symbol('APPLICATION_SERVER');

/** The application itself as the server of webhooks. */
export interface ApplicationServer extends AdmissionServer {
  /** Whether the application has an HTTP server. A standalone application and a microservice have none. */
  readonly hasHost: boolean;
  /** The reason why webhooks cannot be managed, as their address is not known; `undefined` if they can. */
  readonly configurationError: string | undefined;
}

/** The servers that can bring reviews: that of the settings, and the application. */
@Injectable()
export class AdmissionServers {
  constructor(
    @Inject(ModuleRef) private readonly providers: ModuleRef,
    @InjectOwn(KOPF_OPERATOR_NAME) private readonly operator: string,
    @InjectOwn(KopfSettings) private readonly settings: KopfSettings,
  ) {}

  /** Returns the server of the settings or, without one, the application; `undefined` if there is neither. */
  find(): AdmissionServer | undefined {
    return this.settings.admission.server ?? this.findApplication();
  }

  /** Returns the application, if it imports `KopfAdmissionModule`, and the settings name no other server. */
  findApplication(): ApplicationServer | undefined {
    if (this.settings.admission.server) return undefined;
    try {
      return this.providers.get<ApplicationServer>(operatorTokenOf(this.operator, APPLICATION_SERVER), {
        strict: false,
      });
    } catch {
      // Nest has no look-up of providers that may be missing.
      return undefined;
    }
  }
}
