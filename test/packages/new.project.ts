import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PackedLibrary } from './packed.library.js';

const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];

const execute = promisify(execFile);

interface ProjectManifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Nest's command in a version of its own, as `npm install -g @nestjs/cli` brings it. */
export class NestCommand {
  private constructor(private readonly folder: string) {}

  static async install(folder: string, version: string): Promise<NestCommand> {
    await install(folder, [`@nestjs/cli@${version}`]);
    return new NestCommand(folder);
  }

  /** Makes a project as `nest new` does without questions: in CommonJS with Jest by Nest 11, of modules with Vitest by Nest 12. */
  async create(name: string): Promise<NewProject> {
    const options = ['--package-manager', 'npm', '--skip-install', '--skip-git'];
    await this.run('nest', 'new', name, ...options);
    return new NewProject(join(this.folder, name));
  }

  /** Makes the other kind of project that `nest new` of Nest 12 offers: its question about module systems has no option. */
  async createCommonJs(name: string): Promise<NewProject> {
    const options = [`--name=${name}`, '--type=cjs', '--package-manager=npm', '--language=ts'];
    await this.run('schematics', '@nestjs/schematics:application', ...options);
    return new NewProject(join(this.folder, name));
  }

  private async run(command: string, ...args: readonly string[]): Promise<void> {
    await execute(join(this.folder, 'node_modules/.bin', command), args, { cwd: this.folder });
  }
}

/** A project that Nest's command has made. */
export class NewProject {
  constructor(private readonly folder: string) {}

  /** Replaces the versions of Nest's own packages, which projects of another version would have. */
  useNest(version: string): void {
    const file = join(this.folder, 'package.json');
    const pattern = /("@nestjs\/(?:common|core|platform-express|testing)": ")[^"]*/g;
    writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, `$1${version}`));
  }

  /** Installs all dependencies and the libraries, which `nest add` would take from the registry. */
  async install(libraries: readonly PackedLibrary[]): Promise<void> {
    const find = (name: string): PackedLibrary => libraries.find(({ manifest }) => manifest.name === name)!;
    const [dependency, devDependency] = [find('nestjs-kopf'), find('embedded-kube')];
    // Written down beforehand, as npm would look at all packages once more to install it in a call of its own.
    const { manifest } = this;
    const devDependencies = {
      ...manifest.devDependencies,
      [devDependency.manifest.name]: `file:${devDependency.tarball}`,
    };
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ ...manifest, devDependencies }, null, 2));
    await execute('npm', ['install', ...QUIET, dependency.tarball], { cwd: this.folder });
  }

  /** Runs Nest's command of the project. */
  async nest(...args: readonly string[]): Promise<string> {
    const { stdout } = await execute(join(this.folder, 'node_modules/.bin/nest'), args, { cwd: this.folder });
    return stdout;
  }

  /**
   * Runs a script of the project.
   *
   * @param node the Node.js to run it, the one of the tests by default.
   * @returns what it prints.
   */
  async script(name: string, node = process.execPath): Promise<string> {
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      CI: 'true',
      NO_COLOR: '1',
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    };
    delete env.NODE_OPTIONS;
    const { stdout, stderr } = await execute('npm', ['run', name], { cwd: this.folder, env });
    return stdout + stderr;
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  get manifest(): ProjectManifest {
    return JSON.parse(this.read('package.json')) as ProjectManifest;
  }

  versionOf(name: string): string {
    return (JSON.parse(this.read(`node_modules/${name}/package.json`)) as { version: string }).version;
  }
}

/** Installs another Node.js by the package `node`; returns its program. */
export async function installNode(folder: string, version: string): Promise<string> {
  await install(folder, [`node@${version}`]);
  return join(folder, 'node_modules/node/bin/node');
}

async function install(folder: string, packages: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
  await execute('npm', ['install', ...QUIET, ...packages], { cwd: folder });
}
