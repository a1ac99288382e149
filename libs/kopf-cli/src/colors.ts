import type { CliEnvironment, CliStream } from './cli.environment.js';

/** The colours of texts where a person reads them; elsewhere the texts stay as they are. */
export interface Colors {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** Colours for terminals only, and never if `NO_COLOR` is set (https://no-color.org) or the terminal is `dumb`. */
export function colorsFor(stream: CliStream, { variables }: Pick<CliEnvironment, 'variables'>): Colors {
  const isColored = Boolean(stream.isTTY) && !variables.NO_COLOR && variables.TERM !== 'dumb';
  const paint = ([on, off]: readonly [number, number]) => {
    return (text: string) => (isColored ? `\u001B[${on}m${text}\u001B[${off}m` : text);
  };
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
  };
}

/** A text without any colours, for files and programs. */
export const PLAIN: Colors = colorsFor({ write: () => undefined }, { variables: {} });
