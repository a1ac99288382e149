import { Inject, Injectable } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { HandlerExplorer } from './handler.explorer.js';
import { followLazyModules } from './nest.internals.js';

/** Explores the application at its start, and each module that is loaded lazily when it comes. */
@Injectable()
export class ApplicationExplorer {
  constructor(
    @Inject(HandlerExplorer) private readonly explorer: HandlerExplorer,
    @Inject(LazyModuleLoader) private readonly loader: LazyModuleLoader,
  ) {}

  /**
   * @param isStarted whether the operator has started when a module is loaded, so that some kinds of handlers come too late.
   * @param warn takes warnings of what is possible, but hardly meant, now and later.
   * @throws KopfBootstrapError that names every error with its class, method, and option; for a module that is loaded lazily, its loading rejects.
   */
  explore(isStarted: () => boolean, warn: (warning: string) => void): void {
    this.explorer.explore(warn);
    followLazyModules(this.loader, () => this.explorer.exploreLate(isStarted()));
  }
}
