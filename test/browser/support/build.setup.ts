import { buildConsolePage } from '../../tools/console-page.mjs';

/** Builds the page that the tests open. */
export async function setup(): Promise<void> {
  await buildConsolePage();
}
