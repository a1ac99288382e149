#!/usr/bin/env node
// `npx nestjs-kopf [COMMAND]` says which package has the command: this one is a library. It imports nothing, so that it works wherever npm has
// downloaded it to.

/** The commands, and what is to be installed for each of them. */
const PACKAGES = {
  run: ['nestjs-kopf-cli'],
  dev: ['nestjs-kopf-cli', 'embedded-kube'],
  console: ['nestjs-kopf-cli'],
  freeze: ['nestjs-kopf-cli'],
  resume: ['nestjs-kopf-cli'],
  explain: ['nestjs-kopf-cli'],
  release: ['nestjs-kopf-cli'],
  migrate: ['nestjs-kopf-cli'],
  manifests: ['nestjs-kopf-cli'],
  verify: ['nestjs-kopf-cli'],
  simulate: ['nestjs-kopf-cli', 'nestjs-kopf-simulation'],
  completion: ['nestjs-kopf-cli'],
};

const [, , command = ''] = process.argv;
if (Object.hasOwn(PACKAGES, command)) {
  console.error(`nestjs-kopf is a library. The command '${command}' needs:

  npm install --save-dev ${PACKAGES[command].join(' ')}
  npx -p nestjs-kopf-cli kopf ${command} …`);
  process.exitCode = 1;
} else {
  const rows = Object.entries(PACKAGES).map(([name, packages]) => `  ${name.padEnd(12)}${packages.join(' ')}`);
  const text = `nestjs-kopf is a library: npm install nestjs-kopf, or nest add nestjs-kopf

Its commands are in other packages. Install those of a command by npm install --save-dev:

${rows.join('\n')}

Then run it by npx -p nestjs-kopf-cli kopf COMMAND. An API server for tests: npx embedded-kube`;
  const isHelp = ['', 'help', '--help', '-h'].includes(command);
  if (isHelp) console.log(text);
  else console.error(`There is no command '${command}'. ${text}`);
  process.exitCode = isHelp ? 0 : 2;
}
