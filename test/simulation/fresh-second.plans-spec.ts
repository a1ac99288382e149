import { describeFreshPlans } from './fresh.plans.js';

describeFreshPlans(1);
