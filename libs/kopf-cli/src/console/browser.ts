import { spawn } from 'node:child_process';

/** The programs that show an address in the user's browser. */
const PROGRAMS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Shows an address in the browser of the user. Without a browser nothing happens: the address is printed, too. */
export function openBrowser(address: string): void {
  const [program, ...args] = PROGRAMS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
