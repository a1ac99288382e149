import { Inject, Injectable } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { HandlerExplorer } from './handler.explorer.js';
import { onLazyModuleLoaded } from './nest.internals.js';
import { InjectOwn } from '../kopf.tokens.js';

/** Finds the handlers of the application at its start, and those of each lazily loaded module when it is loaded. */
@Injectable()
export class ApplicationExplorer {
  constructor(
    @InjectOwn(HandlerExplorer) private readonly explorer: HandlerExplorer,
    @Inject(LazyModuleLoader) private readonly loader: LazyModuleLoader,
  ) {}

  /**
   * @param isStarted whether the operator has started when a module is loaded, so that some kinds of handlers come too late.
   * @param warn called with a warning for each declaration that is allowed, but probably not meant, now and later.
   * @throws KopfBootstrapError that names every error with its class, method, and option; if a lazily loaded module has errors, its loading
   * rejects.
   */
  async explore(isStarted: () => boolean, warn: (warning: string) => void): Promise<void> {
    await this.explorer.load();
    this.explorer.explore(warn);
    onLazyModuleLoaded(this.loader, async () => {
      await this.explorer.load();
      this.explorer.exploreLate(isStarted());
    });
  }
}
