package console

import "context"

func keyRows() []row {
	return []row{page("keys/{name}", "keys", "key", showKey)}
}

// keyPage is an API key with a chart of its requests.
type keyPage struct {
	itemPage
	plotted
}

func showKey(ctx context.Context, v *visit) (keyPage, error) {
	item, err := pagesAt("keys").show(ctx, v)
	if err != nil {
		return keyPage{}, err
	}
	shown := keyPage{itemPage: item}
	shown.plotted, err = v.plots(ctx,
		[]string{"programId", itoa(v.programID), "key", v.params["name"]}, "requests")
	return shown, err
}
