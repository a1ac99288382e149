import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ApplicationConfig, ModulesContainer } from '@nestjs/core';
import { KopfOptionsError } from '../../common/kopf.errors.js';
import { findInstances, findRoutePath, type RoutePlace } from '../../discovery/nest.internals.js';
import { ADMISSION_MODULE, ADMISSION_PATH } from './admission.options.js';

/** The end of the controller's path, which stands for the handler's id. */
export const ID_WILDCARD = '*id';

/** The route of the controller, with all prefixes of the application. */
@Injectable()
export class AdmissionRoute implements RoutePlace, OnModuleInit {
  private known?: { readonly prefix: string; readonly versioning: unknown; readonly base: string };

  constructor(
    @Inject(ADMISSION_PATH) private readonly path: string,
    @Inject(ADMISSION_MODULE) readonly module: object,
    @Inject(ApplicationConfig) readonly config: ApplicationConfig,
    @Inject(ModulesContainer) readonly modules: ModulesContainer,
  ) {}

  /** @throws KopfOptionsError if this controller would get the reviews of another operator. */
  onModuleInit(): void {
    const others = findInstances(this.modules, AdmissionRoute).map(({ instance }) => instance);
    const other = others.find((route) => route !== this && this.leads(route.base));
    if (!other) return;
    throw new KopfOptionsError(
      [
        `path leads to ${this.base}, but there is another one with ${other.base}; give one of them a path that does not begin with the other`,
      ],
      'KopfAdmissionModule',
    );
  }

  /** The whole path, with a slash at its beginning, but not at its end. It is final when the application is initialised. */
  get base(): string {
    const prefix = this.config.getGlobalPrefix();
    const versioning = this.config.getVersioning();
    if (this.known?.prefix !== prefix || this.known.versioning !== versioning) {
      this.known = { prefix, versioning, base: this.find() };
    }
    return this.known.base;
  }

  /** Whether a URL leads to the controller. */
  leads(url: string): boolean {
    const { base } = this;
    if (!url.startsWith(base)) return false;
    const next = url[base.length] as string | undefined;
    return next === undefined || next === '/' || next === '?';
  }

  private find(): string {
    const path = findRoutePath(this, this.path, ID_WILDCARD);
    return path.slice(0, -ID_WILDCARD.length - 1);
  }
}
