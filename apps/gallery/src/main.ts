import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { GALLERY } from './gallery.js';

/** Runs the operator of one feature against the current kubeconfig: `node main.js timers`. */
const [, , feature = ''] = process.argv;
if (!Object.hasOwn(GALLERY, feature)) {
  console.error(`Which one? ${Object.keys(GALLERY).join(', ')}`);
  process.exit(2);
}
const app = await NestFactory.create(AppModule.register(GALLERY[feature]));
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 8080));
