export { SeededRandom } from '../common/random.js';
export { VirtualClock } from './virtual.clock.js';
