import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kubectl, type KubectlProcess } from '../../support/clusters/kubectl.js';
import { withoutChance } from './output.normaliser.js';
import type { ScenarioStep } from './scenario.reader.js';

const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));
/** The real garbage collector takes half a minute to notice a new kind. */
const PATIENCE = 60_000;

/** Runs the steps of a scenario against one API server. */
export class KubectlRunner {
  private readonly kubectl: Kubectl;
  private readonly variables = new Map<string, string>();
  private readonly watches = new Map<string, KubectlProcess>();

  constructor(path: string, kubeconfig: string) {
    this.kubectl = new Kubectl(path, kubeconfig, FIXTURES);
  }

  /** Runs a step and gives what it printed, followed by its exit code where that is not 0. */
  async run(step: ScenarioStep): Promise<string> {
    const { form, parameter } = step;
    const command = step.command.map((word) => this.fill(word));
    switch (form) {
      case 'until':
        return this.until(new RegExp(parameter, 's'), command);
      case 'let':
        this.variables.set(parameter, await this.kubectl.run(command));
        return '';
      case 'template':
        return this.kubectl.start(command).finish(this.fill(readFileSync(join(FIXTURES, parameter), 'utf8')));
      case 'edit':
        return this.kubectl.start(command, `sed -i -e ${parameter}`).finish();
      case 'watch':
        return this.watch(parameter, command);
      case 'unwatch':
        return this.unwatch(parameter);
      default:
        return this.kubectl.run(command);
    }
  }

  /** Ends what still runs and removes the caches. */
  async close(): Promise<void> {
    for (const watch of this.watches.values()) await watch.end();
    this.kubectl.close();
  }

  private async until(pattern: RegExp, command: readonly string[]): Promise<string> {
    const deadline = Date.now() + PATIENCE;
    let output = await this.kubectl.run(command);
    while (!pattern.test(output) && Date.now() < deadline) {
      await sleep(100);
      output = await this.kubectl.run(command);
    }
    return output;
  }

  private async watch(name: string, command: readonly string[]): Promise<string> {
    const watch = this.kubectl.start(command);
    this.watches.set(name, watch);
    await this.untilPrinted(watch, 1);
    // The first lines come from a list; the watch that follows it must be open before anything changes.
    await sleep(500);
    return '';
  }

  private async unwatch(parameter: string): Promise<string> {
    const [name, lines] = parameter.split(' ');
    const watch = this.watches.get(name);
    if (!watch) throw new Error(`nothing is watched as ${name}`);
    await this.untilPrinted(watch, Number(lines));
    this.watches.delete(name);
    await watch.end();
    return watch.output;
  }

  private async untilPrinted(watch: KubectlProcess, lines: number): Promise<void> {
    const deadline = Date.now() + PATIENCE;
    const count = (): number => withoutChance(watch.output).split('\n').length - 1;
    while (count() < lines && Date.now() < deadline) await sleep(20);
  }

  private fill(text: string): string {
    return text.replaceAll(/\$([A-Z_]+)/g, (whole, name: string) => this.variables.get(name) ?? whole);
  }
}
