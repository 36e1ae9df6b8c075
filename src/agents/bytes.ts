/** `4 MB`, for sentences. */
export function size(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'] as const
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  return `${Math.round(value * 10) / 10} ${units[unit]}`
}
