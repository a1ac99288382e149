import { Inject, Injectable, RequestMethod, VERSION_NEUTRAL } from '@nestjs/common';
import { MODULE_PATH } from '@nestjs/common/constants.js';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { RoutePathFactory } from '@nestjs/core/router/route-path-factory.js';
import { ADMISSION_MODULE, ADMISSION_PATH } from './admission.tokens.js';

/** The end of the controller's path, where the handler's id is. */
export const ID_WILDCARD = '*id';

/** Computes the path under which the controller is served, with all prefixes and versions of the application. */
@Injectable()
export class AdmissionRoute {
  private known?: { readonly prefix: string; readonly versioning: unknown; readonly base: string };

  constructor(
    @Inject(ADMISSION_PATH) private readonly path: string,
    @Inject(ADMISSION_MODULE) private readonly module: object,
    @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
  ) {}

  /** The whole path, with a slash at its beginning, but not at its end. Final when the application is initialised. */
  get base(): string {
    const prefix = this.config.getGlobalPrefix();
    const versioning = this.config.getVersioning();
    if (this.known?.prefix !== prefix || this.known.versioning !== versioning) {
      this.known = { prefix, versioning, base: this.find() };
    }
    return this.known.base;
  }

  /** Tells whether a URL leads to the controller. */
  leads(url: string): boolean {
    const { base } = this;
    if (!url.startsWith(base)) return false;
    const next = url[base.length] as string | undefined;
    return next === undefined || next === '/' || next === '?';
  }

  private find(): string {
    const [path] = new RoutePathFactory(this.config).create(
      {
        ctrlPath: this.path,
        methodPath: ID_WILDCARD,
        globalPrefix: this.config.getGlobalPrefix(),
        modulePath: this.modulePath,
        controllerVersion: VERSION_NEUTRAL,
        versioningOptions: this.config.getVersioning(),
      },
      RequestMethod.POST,
    );
    return path.slice(0, -ID_WILDCARD.length - 1);
  }

  /** Reads the metadata that `RouterModule` sets. */
  private get modulePath(): string | undefined {
    const key = MODULE_PATH + this.modules.applicationId;
    return (Reflect.getMetadata(key, this.module) ?? Reflect.getMetadata(MODULE_PATH, this.module)) as
      string | undefined;
  }
}
