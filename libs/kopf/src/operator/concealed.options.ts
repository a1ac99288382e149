import type { KopfModuleOptions } from '../kopf.options.js';

/** The options of the module as the container holds them: a print of the application does not show the credentials. */
export class ConcealedOptions {
  readonly #credentials: KopfModuleOptions['credentials'];

  private constructor(credentials: KopfModuleOptions['credentials']) {
    this.#credentials = credentials;
  }

  static of({ credentials, ...others }: KopfModuleOptions): KopfModuleOptions {
    return Object.assign(new ConcealedOptions(credentials), others);
  }

  get credentials(): KopfModuleOptions['credentials'] {
    return this.#credentials;
  }
}
