import type { INestApplication } from '@nestjs/common';
import { serveDocumentation, setUp } from '../app.setup.js';
import { InventoryModule } from './inventory.module.js';

const { API_KEY = 'try', DATABASE } = process.env;

/** The application as `kopf dev` and `kopf manifests` take it. */
export default InventoryModule.register({ key: API_KEY, database: DATABASE });

/** Prepares what `kopf dev --listen` serves, as `main.ts` does. */
export function configure(app: INestApplication) {
  setUp(app);
  serveDocumentation(app);
}
