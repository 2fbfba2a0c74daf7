package brain

import (
	"context"
	"net/http"
	"strings"

	anthropic "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// claude speaks the Messages protocol. It has no seed.
type claude struct {
	model   string
	service anthropic.MessageService
	refused concessions
}

func newAnthropic(s Server, name string, client *http.Client, retries int) *claude {
	options := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(s.URL, "/") + "/"), option.WithHTTPClient(client), option.WithMaxRetries(retries),
		// The client bounds each request; this only says that it is not for the SDK to guess.
		option.WithRequestTimeout(client.Timeout),
	}
	if s.Key != "" {
		options = append(options, option.WithAPIKey(s.Key))
	}
	// Without NewClient nothing of the SDK's own environment variables counts.
	return &claude{model: name, service: anthropic.NewMessageService(options...)}
}

func (p *claude) ask(ctx context.Context, q question) (reply, error) {
	for {
		without := p.refused.now()
		var res *http.Response
		answer, err := p.service.New(ctx, p.request(q, without), option.WithResponseInto(&res))
		if err == nil {
			return p.reply(answer), nil
		}
		status, said := refusal(res)
		if !p.refused.make(without, status, said, partTemperature, partChoice) {
			return reply{}, unavailable(ctx, status, err)
		}
	}
}

func (p *claude) request(q question, without map[string]bool) anthropic.MessageNewParams {
	schema := toolSchema()
	required, _ := schema["required"].([]string)
	tool := anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{
		Properties: schema["properties"], Required: required,
		ExtraFields: map[string]any{"additionalProperties": false},
	}, toolName)
	tool.OfTool.Description = anthropic.String(toolDescription)
	r := anthropic.MessageNewParams{
		Model: p.model, MaxTokens: q.tokens,
		System:   []anthropic.TextBlockParam{{Text: q.system}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(q.user))},
		Tools:    []anthropic.ToolUnionParam{tool},
	}
	if !without[partChoice] {
		r.ToolChoice = anthropic.ToolChoiceParamOfTool(toolName)
	}
	if !without[partTemperature] {
		r.Temperature = anthropic.Float(0)
	}
	return r
}

func (p *claude) reply(answer *anthropic.Message) reply {
	u := answer.Usage
	r := reply{input: u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens, output: u.OutputTokens}
	for _, block := range answer.Content {
		switch {
		case block.Type == "text":
			r.text += block.Text
		case block.Type == "tool_use" && block.Name == toolName && r.arguments == "":
			r.arguments = string(block.Input) // one act at a time
		}
	}
	return r
}
