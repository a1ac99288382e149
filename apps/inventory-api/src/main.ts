import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { serveDocumentation, setUp } from './app.setup.js';
import { InventoryModule } from './operator/inventory.module.js';

/** Serves the API with its operator, which has the current kubeconfig or, in a pod, the service account. */
const { API_KEY, DATABASE, PORT = '3000' } = process.env;
if (!API_KEY) throw new Error('The environment variable API_KEY is missing.');
const app = await NestFactory.create(InventoryModule.register({ key: API_KEY, database: DATABASE }));
setUp(app);
serveDocumentation(app);
app.enableShutdownHooks();
await app.listen(Number(PORT));
