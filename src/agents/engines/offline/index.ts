export { createOffline, type OfflineOptions } from './offline.js'
