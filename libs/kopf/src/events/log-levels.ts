import type { LogLevel } from '../common/kopf.logger.js';

const LEVELS: readonly LogLevel[] = ['debug', 'log', 'warn', 'error'];

/** Tells whether a level is the given lowest one, or above it. */
export function reachesLevel(level: LogLevel, lowest: LogLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(lowest);
}
