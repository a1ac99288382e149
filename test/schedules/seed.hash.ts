import { SeededRandom } from 'nestjs-kopf/testing';
import { RandomChoices } from '../support/generators/random.choices.js';

/**
 * Lots that depend on the seed and on what they are drawn for, and on nothing that was drawn before:
 * a schedule of which a step is left out goes on with the same lots.
 */
export function choicesFor(seed: number, ...purpose: readonly (string | number)[]): RandomChoices {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of purpose.join(' ')) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return new RandomChoices(new SeededRandom(hash));
}
