/**
 * Time and chance for tests.
 *
 * @module nestjs-kopf/testing
 */

export { SeededRandom } from '../common/random.js';
export { VirtualClock } from './virtual.clock.js';
