import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { KopfConsoleModule } from 'nestjs-kopf-console';
import { AppModule } from './app.module.js';
import { GALLERY, type Exhibit } from './gallery.js';

/**
 * Runs the operator of one feature against the current kubeconfig: `node main.js timers`. With the variable `CONSOLE`, the console is at `/kopf/`;
 * it has no guards, so it is for a port that nobody else reaches.
 */
const [, , feature = ''] = process.argv;
if (!Object.hasOwn(GALLERY, feature)) {
  console.error(`Which one? ${Object.keys(GALLERY).join(', ')}`);
  process.exit(2);
}
const exhibit: Exhibit = GALLERY[feature];
const { imports = [] } = exhibit;
const others = process.env.CONSOLE ? [KopfConsoleModule.forRoot()] : [];
const app = await NestFactory.create(AppModule.register({ ...exhibit, imports: [...imports, ...others] }));
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 8080));
