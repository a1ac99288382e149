import { KopfBootstrapError } from '../../common/kopf.errors.js';
import { errorText } from '../../common/texts.js';

/** Describes the members of `@ngrok/ngrok` that are used here. */
export interface Ngrok {
  forward(options: Readonly<Record<string, unknown>>): Promise<NgrokListener>;
}

/** An open tunnel. */
export interface NgrokListener {
  url(): string | null;
  close(): Promise<void>;
}

/** The package is optional, so the compiler must not look for it. */
const PACKAGE: string = '@ngrok/ngrok';

/**
 * Loads the package of ngrok.
 *
 * @throws KopfBootstrapError if it is not installed, or does not work on this machine.
 */
export async function loadNgrok(): Promise<Ngrok> {
  try {
    const module = (await import(PACKAGE)) as Ngrok & { readonly default?: Ngrok };
    return module.default ?? module;
  } catch (error) {
    const why = errorText(error).split('\n', 1)[0];
    throw new KopfBootstrapError([`A tunnel of ngrok needs its package, npm install ${PACKAGE}: ${why}`]);
  }
}
